package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"tendril/internal/git"
)

// trust is what the person's own configuration (global and system, never the repository's) says about signatures.
type trust struct{ settings map[string]string }

// The settings that decide whom git believes, with what it does where the person says nothing. They are all given on the
// command line, because the repository's own configuration may name a program that says yes to everything.
var trustDefaults = [...]struct{ name, value string }{
	{"gpg.program", "gpg"},
	{"gpg.openpgp.program", "gpg"},
	{"gpg.x509.program", "gpgsm"},
	{"gpg.ssh.program", "ssh-keygen"},
	{"gpg.mintrustlevel", "undefined"},
	{"gpg.ssh.revocationfile", ""},
}

// signature is what git says of a commit's signature.
type signature struct {
	// verdict is git's %G?, signer its %GS, key the fingerprint (of an OpenPGP key: of the subkey that signed).
	verdict, signer, key string
}

// checkSignature refuses a gate commit that does not carry its author's own good signature.
func checkSignature(ctx context.Context, repo *git.Repo, leaf commit, d door) error {
	t, err := readTrust(ctx, repo)
	if err != nil {
		return err
	}
	allowed := t.settings["gpg.ssh.allowedsignersfile"]
	sig, err := t.verify(ctx, repo, leaf.id, allowed)
	if err != nil {
		return err
	}
	if sig.verdict != "G" {
		return &Refusal{Commit: leaf.id, Why: badSignature(sig), Hint: trustHint(sig, allowed, d)}
	}
	own, err := t.signedBy(ctx, repo, leaf, sig, allowed)
	if err != nil || own {
		return err
	}
	return &Refusal{
		Commit: leaf.id, Why: fmt.Sprintf("%s is the author, but the signature is %s's", leaf.author.String(), signerName(sig)),
		Hint: fmt.Sprintf("the approver has to set the status to %s in a commit that they sign themselves; a forge's signature is not theirs", d.status),
	}
}

// signedBy tells whether a good signature is the author's own, by what the person says of keys.
func (t trust) signedBy(ctx context.Context, repo *git.Repo, leaf commit, sig signature, allowed string) (bool, error) {
	author := fold(leaf.author.Email)
	if author == "" {
		return false, nil
	}
	if !strings.HasPrefix(sig.key, sshKey) {
		return t.keyIsOf(ctx, sig.key, author)
	}
	// One key may stand in several lines, and git tells only the first: believe the author's own lines alone.
	own, err := ownSigners(allowed, author)
	if err != nil || own == nil {
		return false, err
	}
	sig, err = t.verifyWith(ctx, repo, leaf.id, own)
	return err == nil && sig.verdict == "G", err
}

// sshKey is how the fingerprint of an ssh key begins.
const sshKey = "SHA256:"

// program is a program that checks signatures: the person's, else git's own choice.
func (t trust) program(name string) string {
	if p := t.settings[name]; p != "" {
		return p
	}
	if p := t.settings["gpg.program"]; p != "" && name == "gpg.openpgp.program" {
		return p
	}
	for _, d := range trustDefaults {
		if d.name == name {
			return d.value
		}
	}
	return ""
}

// readTrust reads the person's settings.
func readTrust(ctx context.Context, repo *git.Repo) (trust, error) {
	t := trust{settings: map[string]string{}}
	out, err := repo.Do(ctx, git.Call{Args: []string{"config", "-z", "--show-scope", "--includes", "--type=path", "--get-regexp", `^gpg\.`}})
	if code, exited := git.ExitCode(err); exited && code == 1 {
		return t, nil // nothing set
	}
	if err != nil {
		return t, fmt.Errorf("read the person's signing configuration: %w", err)
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		name, value, _ := strings.Cut(fields[i+1], "\n")
		if scope := fields[i]; scope == "global" || scope == "system" {
			t.settings[strings.ToLower(name)] = value
		}
	}
	return t, nil
}

// verify asks git about a signature, with the person's settings and nothing of the repository's.
func (t trust) verify(ctx context.Context, repo *git.Repo, id, allowed string) (signature, error) {
	if allowed == "" {
		allowed = os.DevNull
	}
	args := []string{"-c", "gpg.ssh.allowedSignersFile=" + allowed}
	for _, d := range trustDefaults {
		args = append(args, "-c", d.name+"="+t.program(d.name))
	}
	call := plain(append(args, "log", "-1", "--no-walk", "--no-show-signature", "--encoding=UTF-8", "--format=%G?%x00%GS%x00%GF", id)...)
	out, err := repo.Do(ctx, call)
	if err != nil {
		return signature{}, fmt.Errorf("check the signature of %s: %w", short(id), err)
	}
	f := strings.Split(strings.TrimSuffix(string(out), "\n"), "\x00")
	if len(f) != 3 {
		return signature{}, fmt.Errorf("git log answered %.80q about a signature", out)
	}
	return signature{verdict: f[0], signer: f[1], key: f[2]}, nil
}

// verifyWith is verify with other allowed signers.
func (t trust) verifyWith(ctx context.Context, repo *git.Repo, id string, signers []byte) (sig signature, err error) {
	dir, err := os.MkdirTemp("", "tendril-signers-*")
	if err != nil {
		return signature{}, fmt.Errorf("keep the allowed signers: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "allowed")
	if err := os.WriteFile(file, signers, 0o600); err != nil {
		return signature{}, fmt.Errorf("keep the allowed signers: %w", err)
	}
	return t.verify(ctx, repo, id, file)
}

// ownSigners are the lines of an allowed signers file that speak of an address; nil when none does.
func ownSigners(file, email string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the allowed signers: %w", err)
	}
	var own []byte
	for line := range bytes.Lines(data) {
		principals, _, _ := strings.Cut(strings.TrimLeft(string(line), " \t"), " ")
		principals, _, _ = strings.Cut(principals, "\t")
		if !strings.HasPrefix(principals, "#") && principalIs(strings.Trim(principals, `"`), email) {
			own = append(append(own, bytes.TrimRight(line, "\r\n")...), '\n')
		}
	}
	return own, nil
}

// principalIs tells whether a list of patterns, as in an allowed signers file, speaks of an address.
func principalIs(patterns, email string) bool {
	found := false
	for _, p := range strings.Split(fold(patterns), ",") {
		bare, not := strings.CutPrefix(p, "!")
		// A backslash or a bracket is no wildcard in that file.
		bare = strings.NewReplacer(`\`, `\\`, `[`, `\[`).Replace(bare)
		ok, err := path.Match(bare, email)
		if err != nil || !ok {
			continue
		}
		if not {
			return false
		}
		found = true
	}
	return found
}

func signerName(s signature) string {
	if s.signer != "" {
		return s.signer
	}
	return "the key " + s.key
}

func badSignature(s signature) string {
	switch s.verdict {
	case "N":
		return "the commit is not signed"
	case "B":
		return "the signature of the commit is bad"
	case "U":
		return "the signature is by a key that you do not trust"
	case "X", "Y":
		return "the signature, or its key, has expired"
	case "R":
		return "the signature is by a revoked key"
	default:
		return "the signature of the commit cannot be checked"
	}
}

func trustHint(s signature, allowed string, d door) string {
	switch {
	case s.verdict == "N":
		return fmt.Sprintf("set the status to %s in a signed commit (git commit -S)", d.status)
	case allowed == "":
		return "say whom you trust: gpg.ssh.allowedSignersFile in your own git configuration, or your gpg keyring"
	default:
		return "see whom you trust in " + allowed + ", or in your gpg keyring"
	}
}
