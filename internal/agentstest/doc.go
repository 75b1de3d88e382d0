// Package agentstest holds the tests that drive real coding agents through the real tendril against a scripted model
// (internal/modelserver). They need the agents' programs, so they have the build tag "agents": scripts/test-agents
// installs the programs and runs them.
package agentstest
