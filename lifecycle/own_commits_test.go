package lifecycle

import (
	"testing"

	"tendril/internal/config"
	"tendril/internal/git"
	"tendril/internal/testkit"
	"tendril/lifecycle/record"
)

// A plan's branch may bring to the remote what its agent and Tendril made, and what a person committed on it; never what is
// on a branch of a person's and nowhere else.
func TestOwnCommits(t *testing.T) {
	t.Parallel()
	seed := testkit.Repo(t)
	seed.Write("file", "0\n")
	seed.Commit("first")
	tk := testkit.Clone(t, seed.Remote())
	repo, err := git.Open(t.Context(), tk.Dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &Project{Repo: repo, Ref: "refs/heads/main"}
	cfg := &config.Config{Identity: config.Identity{Name: "Tendril", Email: "tendril@localhost"}}
	remote := &record.Remote{Repo: repo, Name: "origin", Branch: "main"}
	tk.Git("update-ref", record.KnownRef("origin", "main"), "main")
	commit := func(email, file string) {
		t.Helper()
		tk.Write(file, file+"\n")
		tk.Git("add", file)
		tk.Git("-c", "user.name=x", "-c", "user.email="+email, "commit", "--quiet", "-m", file)
	}
	begin := func(branch, from string) { t.Helper(); tk.Git("switch", "--quiet", "--create", branch, from) }
	const agent, tendril, ann = "0001-a@agent.tendril.localhost", "tendril@localhost", "ann@example.com"
	expect := func(what, want string) {
		t.Helper()
		if got, err := p.ownCommits(t.Context(), cfg, remote, tk.Head()); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", what, got, err, want)
		}
	}
	begin("wip", "main")
	commit(ann, "wip1")
	commit(ann, "wip2")
	begin("tendril/0001-a", "main")
	commit(agent, "work")
	expect("the agent's work", "")
	commit(ann, "mended")
	expect("a person's commit on the plan's branch", "")
	begin("tendril/0002-b", "main")
	tk.Git("merge", "--quiet", "--ff-only", "wip")
	expect("a person's branch, fast-forwarded to", "wip")
	tk.Git("branch", "--quiet", "--force", "wip", "wip~")
	expect("a part of a person's branch below commits that nobody has", "wip")
	tk.Git("push", "--quiet", "origin", "wip")
	expect("what the person has pushed", "")
	begin("tendril/0003-c", "main")
	commit(agent, "more")
	tk.Git("tag", "mine", "tendril/0002-b")
	tk.Git("-c", "user.name=x", "-c", "user.email="+agent, "merge", "--quiet", "--no-edit", "mine")
	commit(agent, "above")
	expect("a person's tag, merged by the agent", "tags/mine")
	begin("tendril/0004-d", "main")
	commit(agent, "fourth")
	tk.Git("-c", "user.name=x", "-c", "user.email="+tendril, "merge", "--quiet", "--no-edit", "--no-ff", "tendril/0001-a~1")
	begin("later", "tendril/0004-d")
	commit(ann, "mine-on-top")
	tk.Git("switch", "--quiet", "tendril/0004-d")
	expect("a branch of a person's that was made from the plan's", "")
}
