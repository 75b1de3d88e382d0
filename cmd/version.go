package cmd

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"
)

type versionOptions struct {
	f    *Factory
	json bool
}

// versionData is what `version --json` prints.
type versionData struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersionCommand(f *Factory) *cli.Command {
	return &cli.Command{
		Name:     "version",
		Usage:    "show which build this is",
		Category: categoryTendril,
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			return versionRun(versionOptions{f: f, json: f.Global.JSON})
		},
	}
}

func versionRun(o versionOptions) error {
	v := o.f.Version
	data := versionData{
		Version: v.Version, Commit: v.Commit, Date: v.Date, Modified: v.Modified, Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if o.json {
		return o.f.PrintJSON(data)
	}
	var more []string
	if v.Commit != "" {
		commit := v.Commit[:min(12, len(v.Commit))]
		if v.Modified {
			commit += "+changes"
		}
		more = append(more, commit)
	}
	if v.Date != "" {
		more = append(more, v.Date)
	}
	more = append(more, data.Go, data.Platform)
	_, err := fmt.Fprintf(o.f.IO.Out, "tendril %s (%s)\n", v.Version, strings.Join(more, ", "))
	return err
}
