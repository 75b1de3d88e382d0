// Package runners starts coding agents, watches over them and says what came of it.
//
// An agent is data: a YAML file that says how its program is called and how its output reads (Agent). A run is one
// process of it, described by a value (Spec), kept by a supervisor in a session of its own (Supervise) and ending in a
// value (Outcome). Runs is the folder in which runs live; everything known about a run is in its files there, so that
// any process of this clone can ask, wait for and stop it, and none has to be alive for it to go on.
//
// The room knows nothing of plans' states, of branches or of prompts' words; it meets the others by values.
package runners
