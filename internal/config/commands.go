package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Command is one thing of the repository that is run here, or that says how: where it stands, and its text.
type Command struct {
	Where string `json:"where"`
	Text  string `json:"text"`
}

// NoCommands is the hash of an empty list: there is nothing to trust.
const NoCommands = ""

// Commands are what the repository would have run on this machine: its own file's commands, sorted by place, and the
// files of extra (path → content; see Files.Extra). What a machine's file puts over them is not among them.
func (c *Config) Commands(extra map[string]string) []Command {
	list := slices.Clone(c.commands)
	for path, content := range extra {
		list = append(list, Command{Where: path, Text: content})
	}
	slices.SortFunc(list, func(a, b Command) int { return strings.Compare(a.Where, b.Where) })
	return list
}

// CommandsHash is HashCommands over Commands.
func (c *Config) CommandsHash(extra map[string]string) string { return HashCommands(c.Commands(extra)) }

// HashCommands is one word for a list of commands, in hexadecimal; NoCommands for an empty one.
func HashCommands(list []Command) string {
	if len(list) == 0 {
		return NoCommands
	}
	// A list of two strings each: there is nothing that could fail to be written.
	data, _ := json.Marshal(list)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// list adds what the check runs, and what changes how: where, with what, and what is deleted first.
func (c Check) list(add func(where, text string)) {
	at := "checks." + c.Name
	add(at, c.Run)
	add(at+".dir", c.Dir)
	for name, value := range c.Env {
		add(at+".env."+name, value)
	}
	for i, glob := range c.Clean {
		add(fmt.Sprintf("%s.clean[%d]", at, i), glob)
	}
}

// list collects the commands of a configuration. Beside what is plainly a command it holds what changes how one runs:
// the environment, an agent's arguments, more autonomy, less sandbox.
func (c *Config) list() []Command {
	var list []Command
	add := func(where, text string) {
		if text != "" {
			list = append(list, Command{Where: where, Text: text})
		}
	}
	for i, command := range c.Setup {
		add(fmt.Sprintf("setup[%d]", i), command)
	}
	for i, command := range c.Teardown {
		add(fmt.Sprintf("teardown[%d]", i), command)
	}
	for _, check := range c.Checks {
		check.list(add)
	}
	add("notify", c.Notify)
	for name, value := range c.Env {
		add("env."+name, value)
	}
	for name, agent := range c.Agents {
		if len(agent.Args) > 0 {
			// Arguments may hold spaces: quoted, two lists never look the same.
			add("agents."+name+".args", fmt.Sprintf("%q", agent.Args))
		}
	}
	if c.Autonomy != AutonomyEdit {
		add("autonomy", c.Autonomy)
	}
	if c.Sandbox.Mode != SandboxAuto {
		add("sandbox.mode", c.Sandbox.Mode)
	}
	for i, folder := range c.Sandbox.Writes {
		add(fmt.Sprintf("sandbox.writes[%d]", i), folder)
	}
	for i, name := range c.PassEnv {
		add(fmt.Sprintf("pass_env[%d]", i), name)
	}
	return list
}
