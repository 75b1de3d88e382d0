package gate

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tendril/internal/testkit"
	"tendril/plans"
)

// signers are ssh keys and the person's own configuration that says whom they trust. The tests with it set the global
// configuration of this process, so they do not run in parallel.
type signers struct {
	t              *testing.T
	dir            string
	allowed, trust string
}

func newSigners(t *testing.T) *signers {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("there is no ssh-keygen here")
	}
	dir := testkit.TempDir(t)
	s := &signers{t: t, dir: dir, allowed: filepath.Join(dir, "allowed"), trust: filepath.Join(dir, "gitconfig")}
	s.write(s.allowed, "# nobody yet\n")
	s.write(s.trust, "[gpg \"ssh\"]\n\tallowedSignersFile = "+s.allowed+"\n")
	t.Setenv("GIT_CONFIG_GLOBAL", s.trust)
	return s
}

func (s *signers) write(file, content string) {
	s.t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// key makes a key and returns its public half.
func (s *signers) key(name string) string {
	s.t.Helper()
	file := filepath.Join(s.dir, name)
	if out, err := exec.CommandContext(s.t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file).CombinedOutput(); err != nil {
		s.t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	public, err := os.ReadFile(file + ".pub")
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(public))[:2], " ")
}

// trusts writes the allowed signers file.
func (s *signers) trusts(lines ...string) { s.write(s.allowed, strings.Join(lines, "\n")+"\n") }

// approve commits an approval by w, signed with a key.
func (s *signers) approve(l *lab, w who, key string) string {
	l.t.Helper()
	l.status(plans.Draft)
	l.commit(w, "again")
	l.status(plans.Approved)
	l.Git("add", "-A")
	l.as(w.by(), "-c", "gpg.format=ssh", "-c", "gpg.ssh.program=ssh-keygen", "-c", "user.signingkey="+filepath.Join(s.dir, key), "commit", "-q", "-S", "-m", "approved")
	return l.Head()
}

func signedRules() Rules {
	r := rules
	r.Signed = true
	return r
}

func (l *lab) signedBy(commit string, w who) {
	l.t.Helper()
	p, err := l.approval(signedRules())
	if err != nil || p.Commit != commit || p.AuthorEmail != w.email {
		l.t.Errorf("got %+v, %v, want %s by %s", p, err, commit, w.email)
	}
}

func TestSignedBySSH(t *testing.T) {
	s := newSigners(t)
	bossKey, malloryKey, otherKey := s.key("boss"), s.key("mallory"), s.key("other")
	l := newLab(t)

	gate := s.approve(l, boss, "boss")
	l.refused(signedRules(), gate, "by a key that you do not trust")
	s.trusts("boss@example.com "+bossKey, "mallory@example.com "+malloryKey)
	l.signedBy(gate, boss)
	s.trusts(`boss@example.com namespaces="git" ` + bossKey)
	l.signedBy(gate, boss)
	s.trusts(`boss@example.com namespaces="file" ` + bossKey)
	l.refused(signedRules(), gate, "the signature of the commit is bad")

	// One key in several lines and lists, patterns, another spelling of the address.
	for _, lines := range [][]string{
		{"old@example.com " + bossKey, "boss@example.com " + bossKey},
		{"old@example.com,boss@example.com " + bossKey},
		{"*@example.com " + bossKey},
		{"BOSS@Example.com " + bossKey},
	} {
		s.trusts(lines...)
		l.signedBy(gate, boss)
	}
	for _, lines := range [][]string{
		{"old@example.com " + bossKey, "boss@example.com " + otherKey},
		{"*@example.com,!boss@example.com " + bossKey},
		{"*@example.org " + bossKey},
		{"# boss@example.com " + bossKey, "mallory@example.com " + bossKey},
	} {
		s.trusts(lines...)
		p, err := l.approval(signedRules())
		wantRefusal(t, p, err, gate)
		if strings.Contains(err.Error(), "not signed") {
			t.Errorf("%q: %v", lines, err)
		}
	}

	// Signed by mallory in the name of the boss: git itself finds that good.
	s.trusts("boss@example.com "+bossKey, "mallory@example.com "+malloryKey)
	gate = s.approve(l, boss, "mallory")
	l.refused(signedRules(), gate, "Bo Boss <boss@example.com> is the author, but the signature is mallory@example.com's")
	gate = s.approve(l, mallory, "mallory")
	l.signedBy(gate, mallory)
	only := signedRules()
	only.Approvers = []string{boss.email}
	l.refused(only, gate, "is not among the approvers")
}

func TestSignedAndNotSigned(t *testing.T) {
	s := newSigners(t)
	s.trusts("boss@example.com " + s.key("boss"))
	l := newLab(t)
	gate := l.set(boss, plans.Approved)
	l.refused(signedRules(), gate, "the commit is not signed", "git commit -S")
	l.approved(gate, boss)

	// The leaf counts, not a merge that somebody signed.
	l.Git("checkout", "-q", "-b", "side")
	l.edit("body", "b0dy")
	gate = l.commit(boss, "text")
	l.Git("checkout", "-q", "main")
	l.as(boss.by(), "-c", "gpg.format=ssh", "-c", "user.signingkey="+filepath.Join(s.dir, "boss"), "merge", "-q", "-S", "--no-ff", "-m", "m", "side")
	l.refused(signedRules(), gate, "the commit is not signed")

	// A changed commit with the old signature.
	signed := s.approve(l, boss, "boss")
	object := l.Git("cat-file", "commit", signed)
	l.Write(".git/forged", strings.Replace(object, "approved", "approved!", 1)+"\n")
	forged := l.Git("hash-object", "-t", "commit", "-w", ".git/forged")
	l.Git("reset", "-q", "--hard", forged)
	l.refused(signedRules(), forged, "bad")
}

// The repository's own configuration names a program that says yes, and signers of its own.
func TestSignedTrustsNothingOfTheRepository(t *testing.T) {
	s := newSigners(t)
	bossKey := s.key("boss")
	malloryKey := s.key("mallory")
	l := newLab(t)
	s.trusts("boss@example.com " + bossKey)
	liar := testkit.WriteScript(t, s.dir, "liar", "#!/bin/sh\necho 'Good \"git\" signature for boss@example.com with ED25519 key SHA256:x'\nexit 0\n")
	gate := s.approve(l, boss, "mallory")
	forged := filepath.Join(s.dir, "forged")
	s.write(forged, "boss@example.com "+malloryKey+"\n")
	for _, kv := range [][2]string{
		{"gpg.ssh.program", liar},
		{"gpg.program", liar},
		{"gpg.ssh.allowedSignersFile", forged},
		{"gpg.minTrustLevel", "never"},
	} {
		l.Git("config", kv[0], kv[1])
	}
	l.refused(signedRules(), gate, "by a key that you do not trust")

	// And it takes nothing away from the person either.
	s.write(forged, "")
	l.Git("config", "gpg.ssh.revocationFile", filepath.Join(s.dir, "boss.pub"))
	l.signedBy(s.approve(l, boss, "boss"), boss)

	// The person's own program is theirs to choose, in an included file too.
	s.write(filepath.Join(s.dir, "more"), fmt.Sprintf("[gpg \"ssh\"]\n\tprogram = %s\n", liar))
	s.write(s.trust, fmt.Sprintf("[include]\n\tpath = more\n[gpg \"ssh\"]\n\tallowedSignersFile = %s\n", s.allowed))
	if p, err := l.approval(signedRules()); err != nil {
		t.Errorf("the person's own program was not asked: %+v, %v", p, err)
	}
	s.write(s.trust, "")
	l.refused(signedRules(), l.Head(), "gpg.ssh.allowedSignersFile in your own git configuration")
}

// A key's owner picks its first user id freely; only one that the person trusts speaks for an address.
func TestTrustedUser(t *testing.T) {
	t.Parallel()
	const keyring = `tru::1:1796050405:0:3:1:5
pub:f:255:22:AAAA:1796050405:::-:::scESC::::::23::0:
fpr:::::::::AAAA:
uid:-::::1796050405::HASH::Bo Boss <boss@example.com>::::::::::0:
uid:f::::1796050405::HASH::Mallory \x3a <mallory@example.com>::::::::::0:
uid:r::::1796050405::HASH::Old <old@example.com>::::::::::0:
uid:u::::1796050405::HASH::me@example.com::::::::::0:
`
	for email, want := range map[string]bool{
		"boss@example.com": false, "mallory@example.com": true, "old@example.com": false, "me@example.com": true, "": false,
	} {
		if got := trustedUser(keyring, email); got != want {
			t.Errorf("%q: %v", email, got)
		}
	}
}

func TestPrincipalIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		patterns, email string
		want            bool
	}{
		{"a@x", "a@x", true},
		{"A@X", "a@x", true},
		{"a@x,b@x", "b@x", true},
		{"*@x", "b@x", true},
		{"?@x", "b@x", true},
		{"?@x", "bb@x", false},
		{"*@x,!b@x", "b@x", false},
		{"!b@x", "a@x", false},
		{"[ab]@x", "a@x", false},
		{"", "a@x", false},
		{"a@x", "", false},
	} {
		if got := principalIs(c.patterns, c.email); got != c.want {
			t.Errorf("%q, %q: %v", c.patterns, c.email, got)
		}
	}
}
