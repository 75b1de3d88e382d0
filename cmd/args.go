package cmd

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// noArgs refuses arguments.
func noArgs(c *cli.Context) error {
	if c.NArg() > 0 {
		return usagef(usageOf(c), "%s takes no argument, got %q", c.Command.Name, c.Args().First())
	}
	return nil
}

// exactArgs asks for as many arguments as names, and says which is missing.
func exactArgs(c *cli.Context, names ...string) error {
	switch n := c.NArg(); {
	case n < len(names):
		return usagef(usageOf(c), "%s needs %s", c.Command.Name, names[n])
	case n > len(names):
		return usagef(usageOf(c), "%s takes %d argument(s), got %q besides", c.Command.Name, len(names), c.Args().Get(len(names)))
	}
	return nil
}

// someArgs asks for at least one argument.
func someArgs(c *cli.Context, name string) error {
	if c.NArg() == 0 {
		return usagef(usageOf(c), "%s needs at least one %s", c.Command.Name, name)
	}
	return nil
}

// atMostArgs refuses more than n arguments.
func atMostArgs(c *cli.Context, n int) error {
	if c.NArg() > n {
		return usagef(usageOf(c), "%s takes at most %d argument(s), got %q besides", c.Command.Name, n, c.Args().Get(n))
	}
	return nil
}

func usageOf(c *cli.Context) string {
	return "usage: " + strings.TrimSpace("tendril "+strings.TrimPrefix(c.Command.HelpName, "tendril ")+" "+c.Command.ArgsUsage)
}
