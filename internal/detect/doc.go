// Package detect finds the commands by which a project formats, checks, builds and tests itself, and what makes a fresh
// checkout of it usable: from the files that are really there. It runs nothing and imports no room.
//
// Which command is taken where several do the same:
//
//  1. The project's own entry points go before everything: a target of a Makefile, a justfile or a Taskfile (in this
//     order). They are taken to cover the whole repository.
//  2. A script of a language's own manifest (package.json, composer.json) goes before that language's usual command.
//  3. A language's usual command (go test ./..., cargo clippy) is taken where neither says another.
//  4. A shell script such as scripts/test is taken where there is nothing else.
//
// Each kind (format, lint, types, build, test) is decided by itself. Of a formatter that writes and one that only looks,
// the one that writes is taken: it mends what it finds, and a plan spends no attempt on it.
package detect
