package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"tendril/internal/crash"
	"tendril/internal/git"
)

// Remote is the branch of a remote that is the truth where several clones share one queue. What this clone knows of it is
// a ref of Tendril's own, refs/tendril/sync/REMOTE/BRANCH, which only ever moves forward: so a branch that somebody set
// back or wrote anew is noticed, whoever fetched meanwhile.
type Remote struct {
	Repo *git.Repo
	// Runtime is the folder for the lock and for what is known of the remote's health.
	Runtime string
	// Name is the remote's, Branch the short name of the plans branch there.
	Name, Branch string
	// Bases are the other branches of the remote that are kept track of: those that work starts from and goes back to.
	Bases []string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// The moments of a talk with a remote, in order: before and after each effect outside the process.
const (
	pointFetching crash.Point = "sync.fetching" // what the remote has is known, nothing is fetched
	pointFetched  crash.Point = "sync.fetched"  // the commits are here, no ref that is read names them
	pointNoted    crash.Point = "sync.noted"    // what was fetched is what this clone knows
	pointPushing  crash.Point = "sync.pushing"  // the commit is built, the remote has not seen it
	pointPushed   crash.Point = "sync.pushed"   // the remote has it, nothing here says so
	pointKnown    crash.Point = "sync.known"    // this clone knows it, the local branch does not follow yet
	pointFollowed crash.Point = "sync.followed" // the local branch follows
)

// SyncPoints is the table of moments at which tests kill a process that talks to a remote.
var SyncPoints = []crash.Point{pointFetching, pointFetched, pointNoted, pointPushing, pointPushed, pointKnown, pointFollowed}

const (
	knownPrefix    = "refs/tendril/sync/"
	incomingPrefix = "refs/tendril/incoming/"
	headsPrefix    = "refs/heads/"
	// talkTurnLimit is how long one Tendril process waits for another that talks to the remote.
	talkTurnLimit = 2 * time.Minute
)

// KnownRef is the ref that holds what this clone knows of a branch of a remote.
func KnownRef(remote, branch string) string { return knownPrefix + remote + "/" + branch }

// Known returns where the plans branch stood at the remote when this clone last saw it; empty where it never did. What a
// person's own fetch or push has seen since counts too, where it lies ahead.
func (u *Remote) Known(ctx context.Context) (string, error) {
	at, err := u.refs(ctx)
	if err != nil {
		return "", err
	}
	return u.KnownIn(ctx, at)
}

// KnownIn is Known for who has listed the refs already: full name to commit.
func (u *Remote) KnownIn(ctx context.Context, at map[string]string) (string, error) {
	known, seen := at[KnownRef(u.Name, u.Branch)], at[u.tracking(u.Branch)]
	if known == "" || seen == "" || known == seen {
		return max(known, seen), nil
	}
	if ahead, err := contains(ctx, u.Repo, seen, known); err != nil || ahead {
		return seen, err
	}
	return known, nil
}

// refs are what this clone knows of the remote's branches, and the person's remote-tracking one of the plans branch.
func (u *Remote) refs(ctx context.Context) (map[string]string, error) {
	out, err := u.Repo.Run(ctx, "for-each-ref", "--format=%(refname) %(objectname)", KnownRef(u.Name, ""), u.tracking(u.Branch))
	if err != nil {
		return nil, fmt.Errorf("what is known of %s: %w", u.Name, err)
	}
	at := map[string]string{}
	for line := range strings.Lines(out) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		at[name] = id
	}
	return at, nil
}

func (u *Remote) tracking(branch string) string { return "refs/remotes/" + u.Name + "/" + branch }

// others are the branches that are kept track of beside the plans branch: the bases, or before they were told all that
// were until now. A plan's own branch is none of them.
func (u *Remote) others(at map[string]string) []string {
	if len(u.Bases) > 0 {
		return u.Bases
	}
	var names []string
	for ref := range at {
		if name, known := strings.CutPrefix(ref, KnownRef(u.Name, "")); known && !strings.HasPrefix(name, "tendril/") {
			names = append(names, name)
		}
	}
	return names
}

// brought are the full names of the plans' branches that Bring fetched: where one is gone at the remote, what it had is in
// its base, and nothing here need keep it.
func (u *Remote) brought(at map[string]string) []string {
	var names []string
	for ref := range at {
		name, known := strings.CutPrefix(ref, KnownRef(u.Name, ""))
		if known && strings.HasPrefix(name, "tendril/") && name != u.Branch && !slices.Contains(u.Bases, name) {
			names = append(names, headsPrefix+name)
		}
	}
	return names
}

// Heads are branches of a remote as it answered: full name to commit.
type Heads map[string]string

// Refresh asks the remote where the plans branch and the bases stand, and fetches what is new of them. More are full names
// of branches, or prefixes that end in *, that are only asked for. Errors: *GoneError, *RewoundError (the plans branch is
// not followed then), *git.RemoteError, *BusyError.
func (u *Remote) Refresh(ctx context.Context, more ...string) (Heads, error) {
	release, err := u.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	heads, err := u.refresh(ctx, more...)
	return heads, u.health(ctx, err, false)
}

// refresh is Refresh for one whose turn it is.
func (u *Remote) refresh(ctx context.Context, more ...string) (Heads, error) {
	at, err := u.refs(ctx)
	if err != nil {
		return nil, err
	}
	ahead, err := u.KnownIn(ctx, at)
	if err != nil {
		return nil, err
	}
	names := []string{headsPrefix + u.Branch}
	for _, b := range u.others(at) {
		if b != u.Branch {
			names = append(names, headsPrefix+b)
		}
	}
	brought := u.brought(at)
	found, err := u.Repo.LsRemote(ctx, u.Name, slices.Concat(names, brought, more)...)
	if err != nil {
		return nil, err
	}
	crash.At(pointFetching)
	for _, name := range brought {
		if found[name] == "" {
			if err := u.setRef(ctx, KnownRef(u.Name, strings.TrimPrefix(name, headsPrefix)), ""); err != nil {
				return found, err
			}
		}
	}
	var specs []string
	for _, name := range names {
		branch := strings.TrimPrefix(name, headsPrefix)
		if there := found[name]; there != "" && there != at[KnownRef(u.Name, branch)] {
			specs = append(specs, "+"+name+":"+incomingPrefix+branch)
		}
	}
	if len(specs) > 0 {
		if err := u.Repo.Fetch(ctx, u.Name, specs...); err != nil {
			return nil, err
		}
		crash.At(pointFetched)
	}
	for _, name := range names {
		branch := strings.TrimPrefix(name, headsPrefix)
		seen := sight{noted: at[KnownRef(u.Name, branch)], there: found[name]}
		if seen.known = seen.noted; branch == u.Branch {
			seen.known = ahead
		}
		if err := u.take(ctx, branch, seen); err != nil {
			return found, err
		}
	}
	return found, nil
}

// Holds asks the remote, and says whether its plans branch has the commit: what this clone takes for the truth may be what
// somebody wrote into a ref here.
func (u *Remote) Holds(ctx context.Context, commit string) (bool, error) {
	if _, err := u.Refresh(ctx); err != nil {
		return false, err
	}
	tip, err := tipOf(ctx, u.Repo, KnownRef(u.Name, u.Branch))
	if err != nil {
		return false, err
	}
	return contains(ctx, u.Repo, tip, commit)
}

// sight is where a branch of the remote stands. What a person's own fetch or push has seen counts as known, so that it is
// missed should it go; it is noted only once the remote said so too, since any program can write a remote-tracking branch.
type sight struct{ noted, known, there string }

// take makes what was fetched of a branch what this clone knows. The plans branch is only ever followed forward; another
// branch is followed wherever it goes, since nothing of Tendril's is in its past alone.
func (u *Remote) take(ctx context.Context, branch string, seen sight) error {
	plans := branch == u.Branch
	switch {
	case seen.there == "" && plans:
		return &GoneError{Remote: u.Name, Branch: branch, Known: cmp.Or(seen.noted, seen.known)}
	case seen.there == seen.noted && seen.noted == seen.known:
		return nil
	case seen.there == "":
		return u.setRef(ctx, KnownRef(u.Name, branch), "")
	}
	fetched := seen.noted
	if seen.there != seen.noted {
		// Between the question and the fetch it may have moved on.
		var err error
		if fetched, err = tipOf(ctx, u.Repo, incomingPrefix+branch); err != nil || fetched == "" {
			return err
		}
	}
	if plans && seen.known != "" {
		forward, err := contains(ctx, u.Repo, fetched, seen.known)
		if err != nil {
			return err
		}
		if !forward {
			return &RewoundError{Remote: u.Name, Branch: branch, Known: seen.known, There: fetched, Unproven: seen.known != seen.noted}
		}
	}
	script := fmt.Sprintf("start\nupdate %s %s\ndelete %s\nprepare\ncommit\n", KnownRef(u.Name, branch), fetched, incomingPrefix+branch)
	if _, err := u.Repo.Do(ctx, git.Call{Args: []string{"update-ref", "--stdin"}, Stdin: []byte(script)}); err != nil {
		return fmt.Errorf("note where %s stands at %s: %w", branch, u.Name, err)
	}
	crash.At(pointNoted)
	u.track(ctx, branch, fetched)
	return nil
}

// Accept takes the remote's branch as it stands there now for the truth, wherever it was before.
func (u *Remote) Accept(ctx context.Context) (string, error) {
	release, err := u.turn(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	_, err = u.refresh(ctx)
	rewound := (*RewoundError)(nil)
	if errors.As(err, &rewound) {
		err = u.setRef(ctx, KnownRef(u.Name, u.Branch), rewound.There)
		u.track(ctx, u.Branch, rewound.There)
	}
	if err = u.health(ctx, err, false); err != nil {
		return "", err
	}
	return u.Known(ctx)
}

// Forward moves another branch of the remote from one commit to a descendant of it: what a delivery does to its base. It
// reports false when the branch is not there any more. A server that refuses is a *RefusedError.
func (u *Remote) Forward(ctx context.Context, branch, from, to string) (bool, error) {
	release, err := u.turn(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	crash.At(pointPushing)
	moved, err := u.push(ctx, git.PushRef{Ref: headsPrefix + branch, Commit: to, Expect: from}, nil)
	switch {
	case moved:
		_, err = u.refresh(ctx)
		return false, u.health(ctx, err, false)
	case err != nil && branch != u.Branch:
		return false, err // of the base's branch the plan tells
	case err != nil:
		return false, u.health(ctx, err, true)
	}
	crash.At(pointPushed)
	return true, u.health(ctx, u.noted(ctx, branch, to), branch == u.Branch)
}

// noted makes a commit that was pushed what this clone knows.
func (u *Remote) noted(ctx context.Context, branch, commit string) error {
	if err := u.setRef(ctx, KnownRef(u.Name, branch), commit); err != nil {
		return err
	}
	crash.At(pointKnown)
	return nil
}

// push sends the first ref, and commits to be looked at with it; those may fail by themselves. It reports whether the first
// is elsewhere by now.
func (u *Remote) push(ctx context.Context, first git.PushRef, publish []Publish) (moved bool, err error) {
	refs := []git.PushRef{first}
	again := map[string]Publish{}
	for _, p := range publish {
		ref := headsPrefix + p.Names[0]
		refs = append(refs, git.PushRef{Ref: ref, Commit: p.Commit})
		again[ref] = Publish{Commit: p.Commit, Names: p.Names[1:]}
	}
	answers, err := u.Repo.Push(ctx, u.Name, refs...)
	if err != nil {
		return false, err
	}
	var rest []Publish
	answered := false
	for _, a := range answers {
		switch {
		case a.Ref == first.Ref:
			answered, moved = true, a.Moved
			if !a.Done && !a.Moved {
				err = &RefusedError{Remote: u.Name, Branch: strings.TrimPrefix(a.Ref, headsPrefix), Words: a.Words}
			}
		case !a.Done && len(again[a.Ref].Names) > 0:
			rest = append(rest, again[a.Ref])
		}
	}
	if !answered {
		return false, &git.RemoteError{Op: "push", Remote: u.Name, Words: "git did not say what became of it"}
	}
	if err == nil && !moved && len(rest) > 0 {
		return false, u.publish(ctx, rest)
	}
	return moved, err
}

// publish puts commits on branches of the remote; what it refuses is not there for others to look at, and said by whoever
// looks.
func (u *Remote) publish(ctx context.Context, list []Publish) error {
	for _, p := range list {
		for _, name := range p.Names {
			answers, err := u.Repo.Push(ctx, u.Name, git.PushRef{Ref: headsPrefix + name, Commit: p.Commit})
			if err != nil {
				return err
			}
			if answers[0].Done {
				break
			}
		}
	}
	return nil
}

// Remove deletes a branch of the remote that stands at exactly that commit.
func (u *Remote) Remove(ctx context.Context, branch, commit string) error {
	release, err := u.turn(ctx)
	if err != nil {
		return err
	}
	defer release()
	_, err = u.Repo.Push(ctx, u.Name, git.PushRef{Ref: headsPrefix + branch, Expect: commit})
	return err
}

// Bring fetches a commit that lies on one of the branches (short names), and reports whether it is here then.
func (u *Remote) Bring(ctx context.Context, commit string, branches ...string) (bool, error) {
	if there, err := hasCommit(ctx, u.Repo, commit); err != nil || there {
		return there, err
	}
	release, err := u.turn(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	var asked, specs []string
	for _, b := range branches {
		asked = append(asked, headsPrefix+b)
	}
	found, err := u.Repo.LsRemote(ctx, u.Name, asked...)
	if err != nil {
		return false, err
	}
	for ref := range found {
		specs = append(specs, "+"+ref+":"+KnownRef(u.Name, strings.TrimPrefix(ref, headsPrefix)))
	}
	if len(specs) == 0 {
		return false, nil
	}
	if err := u.Repo.Fetch(ctx, u.Name, specs...); err != nil {
		return false, err
	}
	return hasCommit(ctx, u.Repo, commit)
}

// hasCommit reports whether a commit is in the repository.
func hasCommit(ctx context.Context, repo *git.Repo, commit string) (bool, error) {
	_, err := repo.Run(ctx, "cat-file", "-e", commit+"^{commit}")
	if _, exited := git.ExitCode(err); exited {
		return false, nil
	}
	return err == nil, err
}

// setRef moves a ref of Tendril's own; an empty commit deletes it. Only one whose turn it is does so.
func (u *Remote) setRef(ctx context.Context, ref, commit string) error {
	args := []string{"update-ref", ref, commit}
	if commit == "" {
		args = []string{"update-ref", "-d", ref}
	}
	if _, err := u.Repo.Run(ctx, args...); err != nil {
		return fmt.Errorf("note where %s stands: %w", strings.TrimPrefix(ref, knownPrefix), err)
	}
	return nil
}

// track brings the person's own remote-tracking branch along, where there is one: git status goes by it. It may be locked
// by a fetch of theirs, which brings the same.
func (u *Remote) track(ctx context.Context, branch, commit string) {
	ref := u.tracking(branch)
	if old, err := tipOf(ctx, u.Repo, ref); err == nil && old != "" && old != commit {
		_, _ = u.Repo.Run(ctx, "update-ref", "-m", "tendril: fetch", ref, commit, old)
	}
}

// turn makes this the only one of Tendril's processes that talks to the remote from this clone.
func (u *Remote) turn(ctx context.Context) (release func(), err error) {
	if err := os.MkdirAll(u.Runtime, 0o700); err != nil {
		return nil, fmt.Errorf("make the runtime folder: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, talkTurnLimit)
	defer cancel()
	l := flock.New(filepath.Join(u.Runtime, "sync.lock"))
	if ok, err := l.TryLockContext(limited, 10*time.Millisecond); err != nil || !ok {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			return nil, &BusyError{Why: "another tendril process talks to " + u.Name}
		}
		return nil, fmt.Errorf("lock %s: %w", l.Path(), err)
	}
	return func() { _ = l.Unlock() }, nil // closing the file, the only thing that could fail, unlocks it too
}
