// Command tendril runs coding agents in parallel, from plans that live in the repository.
package main

import (
	"context"
	"os"

	"tendril/cmd"
)

func main() {
	os.Exit(cmd.Main(context.Background(), os.Args, cmd.System(), cmd.BuildVersion()))
}
