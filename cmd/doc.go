// Package cmd is the command line: one file a command, holding its options, its flags, one call into lifecycle, and what
// is printed. Data goes to standard output, everything else to standard error.
//
// The frame around the commands is in main.go (Main), factory.go (what commands are given), app.go (the application),
// permute.go and resolve.go (arguments in any order), errors.go (errors and exit codes), help.go and output.go.
package cmd
