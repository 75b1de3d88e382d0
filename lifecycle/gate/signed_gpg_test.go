package gate

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/testkit"
	"tendril/plans"
)

// A key of the person's keyring signs for the user ids that the person trusts, and for no others.
func TestSignedByOpenPGP(t *testing.T) {
	if _, err := exec.LookPath("gpg"); err != nil {
		t.Skip("there is no gpg here")
	}
	if _, err := exec.LookPath("gpgconf"); err != nil {
		t.Skip("there is no gpgconf here to end gpg's agent afterwards")
	}
	// The path of the agent's socket must be short, which a test's own folder is not everywhere.
	home, err := os.MkdirTemp("", "gpg")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GNUPGHOME", home)
	t.Cleanup(func() {
		if out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "gpgconf", "--homedir", home, "--kill", "all").CombinedOutput(); err != nil {
			t.Errorf("end gpg's agent: %v\n%s", err, out)
		}
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	trust := filepath.Join(testkit.TempDir(t), "gitconfig")
	if err := os.WriteFile(trust, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", trust)
	gpg := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "gpg", append([]string{"--batch", "--yes", "--no-tty", "--pinentry-mode", "loopback", "--passphrase", ""}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Run(); err != nil {
			t.Fatalf("gpg %v: %v\n%s", args, err, said.String())
		}
		return out.String()
	}
	gpg("", "--quick-generate-key", "Bo Boss <boss@example.com>", "ed25519", "sign", "never")

	l := newLab(t)
	approve := func(w who, id string) string {
		t.Helper()
		l.status(plans.Draft)
		l.commit(w, "again")
		l.status(plans.Approved)
		l.Git("add", "-A")
		l.as(append(w.by(), "GNUPGHOME="+home), "-c", "user.signingkey="+id, "commit", "-q", "-S", "-m", "approved")
		return l.Head()
	}
	l.signedBy(approve(boss, "boss@example.com"), boss)
	gate := approve(mallory, "boss@example.com")
	l.refused(signedRules(), gate, "Mallory <mallory@example.com> is the author, but the signature is Bo Boss <boss@example.com>'s")

	// Without the secret half the key is trusted no more than its owner says: not at all.
	gate = approve(boss, "boss@example.com")
	gpg("", "--import-ownertrust", "--", writeTemp(t, ownerTrust(gpg("", "--list-keys", "--with-colons"), "2")))
	l.refused(signedRules(), gate, "by a key that you do not trust")
}

// ownerTrust sets the trust of the only key of a keyring.
func ownerTrust(colons, level string) string {
	for line := range strings.Lines(colons) {
		if f := strings.Split(line, ":"); f[0] == "fpr" {
			return f[9] + ":" + level + ":\n"
		}
	}
	return ""
}

func writeTemp(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(testkit.TempDir(t), "file")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
