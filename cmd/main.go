package cmd

import (
	"context"
	"errors"
	"fmt"
)

// Main runs one call of tendril and returns its exit code; it never ends the process. args begin with the program's
// name.
func Main(ctx context.Context, args []string, io IO, version Version) int {
	return NewFactory(io, version).main(ctx, args)
}

// main runs one call with this factory's dependencies.
func (f *Factory) main(ctx context.Context, args []string) int {
	err := f.call(ctx, args)
	if err != nil && !errors.Is(err, errSaid) {
		fmt.Fprint(f.IO.Err, errorText(err))
	}
	return exitCode(err)
}

func (f *Factory) call(ctx context.Context, args []string) error {
	app := newApp(f)
	resolved, err := resolve(app, args[min(1, len(args)):])
	if err != nil {
		return err
	}
	if resolved.help {
		return printHelp(f.IO.Out, app, resolved.path)
	}
	return app.RunContext(ctx, append([]string{app.Name}, resolved.argv...))
}
