package config

import (
	"go.yaml.in/yaml/v3"
)

// Parse reads one configuration file over the defaults. What is wrong is an *Error with line and column; several are
// joined. path is for the messages.
func Parse(path string, src []byte) (*Config, error) {
	c, err := over(Default(), path, src)
	if err != nil {
		return nil, err
	}
	c.commands = c.list()
	return c, nil
}

// Override reads a machine's file over c and returns the result; c stays as it is. Mappings are merged key by key, lists
// replaced. The machine's commands are its owner's: they are not part of CommandsHash.
func (c *Config) Override(path string, src []byte) (*Config, error) {
	return over(c, path, src)
}

func over(base *Config, path string, src []byte) (*Config, error) {
	d, err := newDecoder(path, src)
	if err != nil {
		return nil, err
	}
	c := base.clone()
	d.document(valueOf(c))
	if len(d.errs) == 0 {
		// Values are judged only when all could be read: one mistake is not told twice.
		(&validator{decoder: d}).config(c)
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	return c, nil
}

// branchKey reads the one key that may come from the default branch, whatever else that file says.
func branchKey(path string, src []byte) (string, error) {
	return nameKey(path, src, "branch", "write it as main or tendril/plans")
}

// nameKey reads one key whose value is a name in git; empty where it is not set.
func nameKey(path string, src []byte, name, hint string) (string, error) {
	d, err := newDecoder(path, src)
	if err != nil || d.root == nil || d.root.Kind != yaml.MappingNode {
		return "", err
	}
	for i := 0; i+1 < len(d.root.Content); i += 2 {
		key, value := d.root.Content[i], d.root.Content[i+1]
		if key.Value != name || value.Tag == "!!null" {
			continue
		}
		if value.Kind != yaml.ScalarNode || !validBranch(value.Value) {
			return "", d.errorAt(value, name+" must be a name in git", hint)
		}
		return value.Value, nil
	}
	return "", nil
}
