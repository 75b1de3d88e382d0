package gate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"tendril/internal/proc"
)

// keyringTimeout ends a gpg that does not answer.
const keyringTimeout = 30 * time.Second

// keyIsOf tells whether a key of the person's keyring carries a user id with the address that the person trusts. What git
// reports as the signer is the key's first user id, which its owner picks freely: trust in one of the others would let
// anybody sign as somebody else.
func (t trust) keyIsOf(ctx context.Context, fingerprint, email string) (bool, error) {
	program := t.program("gpg.openpgp.program")
	var out bytes.Buffer
	res, err := proc.Run(ctx, proc.Cmd{
		Argv: []string{program, "--batch", "--no-tty", "--with-colons", "--fixed-list-mode", "--list-keys", "--", fingerprint},
		Env:  append(os.Environ(), "LC_ALL=C"), Stdout: &out, Timeout: keyringTimeout,
	})
	if err != nil {
		return false, fmt.Errorf("look into the keyring: %w", err)
	}
	return res.ExitCode == 0 && trustedUser(out.String(), email), nil
}

// trustedUser looks for a fully or ultimately valid user id with the address, in gpg's colon format.
func trustedUser(colons, email string) bool {
	const validity, userID = 1, 9
	for line := range strings.Lines(colons) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if f[0] != "uid" || len(f) <= userID || (f[validity] != "f" && f[validity] != "u") {
			continue
		}
		if address(unescape(f[userID])) == email {
			return true
		}
	}
	return false
}

// unescape undoes gpg's \xNN for the characters that would break its lines; what else is escaped stays, and matches no
// address.
func unescape(s string) string { return strings.NewReplacer(`\x3a`, ":", `\x5c`, `\`).Replace(s) }
