package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tendril/internal/config"
	"tendril/internal/git"
	"tendril/lifecycle/gate"
	"tendril/lifecycle/record"
	"tendril/plans"
)

// PassRequest is what a person asks for: plans to be set to a status.
type PassRequest struct {
	// Plans are keys or numbers.
	Plans []string
	To    plans.Status
	// Message is the person's words: they go into the commit, and for a request for changes into review.md.
	Message string
	// Fresh (with approved) starts on a new branch; the old tip is kept.
	Fresh bool
	// WithEdits takes along what the working copy of plan.md says beyond what the branch says.
	WithEdits bool
	// Unverified (with accepted) takes work for which no check vouches.
	Unverified bool
}

// PassResult is what was done.
type PassResult struct {
	Commit string
	Passed []Passed
	Left   []record.Left
	// Behind, when set, is why the local plans branch does not follow the remote's, where that has the truth.
	Behind string
	// Dropped counts, by plan, the words that its agent did not hear and never will.
	Dropped map[plans.Key]int
	// Skipped are, by plan that passed a gate, the checks that it leaves out, each with its reason.
	Skipped map[plans.Key]map[string]string
}

// Passed is one plan that was set to another status.
type Passed struct {
	Key      plans.Key
	From, To plans.Status
}

// Pass sets plans to another status in the name of a person: one commit on the plans branch, with the person's identity
// and signing, wherever the person stands. It is the same commit that the person could make by hand.
func (p *Project) Pass(ctx context.Context, actor Actor, req PassRequest) (PassResult, error) {
	seen, err := p.headsSeen(ctx)
	if err != nil {
		return PassResult{}, err
	}
	if err := p.freshen(ctx); err != nil {
		return PassResult{}, err
	}
	cfg, history, err := p.atTip(ctx)
	if err != nil {
		return PassResult{}, err
	}
	copies, err := p.workingCopies(ctx)
	if err != nil {
		return PassResult{}, err
	}
	var out PassResult
	build := func(ctx context.Context, tip string) (*record.Draft, error) {
		set, effective, err := p.readAt(ctx, cfg, history, tip)
		if err != nil {
			return nil, err
		}
		passing := passing{Project: p, cfg: cfg, tip: tip, set: set, effective: effective, req: req, actor: actor, copies: copies, seen: seen}
		draft, passed, err := passing.draft(ctx)
		out.Passed, out.Skipped = passed, skipsAtGate(set, passed)
		return draft, err
	}
	res, err := p.commitPatiently(ctx, cfg, build)
	if err != nil {
		return PassResult{}, signHint(actor, err)
	}
	out.Commit, out.Left, out.Behind = res.Commit, res.Left, res.Behind
	if unheard(req.To, "") && req.To != plans.InReview {
		out.Dropped = map[plans.Key]int{}
		for _, passed := range out.Passed {
			if out.Dropped[passed.Key], err = p.dropWords(passed.Key); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// signHint adds what to do where the person's signer does not work.
func signHint(actor Actor, err error) error {
	var failed *git.Error
	if !actor.Sign || !errors.As(err, &failed) || !slices.Contains(failed.Args, "commit-tree") {
		return err
	}
	return fmt.Errorf("%w\n  your git signs commits (commit.gpgsign), and the signer did not work; nothing was committed: try git commit -S --allow-empty", err)
}

// atTip is the configuration and the history of the plans branch as it stands.
func (p *Project) atTip(ctx context.Context) (*config.Config, *gate.History, error) {
	tip, err := p.Tip(ctx)
	if err != nil {
		return nil, nil, err
	}
	cfg, err := config.Load(ctx, p.Repo, tip)
	if err != nil {
		return nil, nil, err
	}
	return cfg, p.historyOf(cfg), p.ensureRuntime()
}

// historyOf folds the history of the plans branch, beginning where an earlier process ended.
func (p *Project) historyOf(cfg *config.Config) *gate.History {
	h := gate.NewHistory(p.Repo, gateRules(cfg))
	h.KeepIn(filepath.Join(p.Runtime, "cache", "history"))
	return h
}

// patience is how long a person's command waits for git to be done elsewhere in this clone.
const patience = 10 * time.Second

// commitPatiently commits, and waits a while where something else holds it up.
func (p *Project) commitPatiently(ctx context.Context, cfg *config.Config, build record.Build) (record.Result, error) {
	rec, err := p.recorder(ctx, cfg)
	if err != nil {
		return record.Result{}, err
	}
	deadline := time.Now().Add(patience)
	for {
		res, err := rec.Commit(ctx, build)
		busy := (*record.BusyError)(nil)
		if !errors.As(err, &busy) {
			return res, err
		}
		if time.Now().After(deadline) {
			return res, fmt.Errorf("%w\n  nothing was changed: finish that, then call again (tendril doctor names locks that were left behind)", err)
		}
		timer := time.NewTimer(200 * time.Millisecond)
		select {
		case <-ctx.Done():
			timer.Stop()
			return res, ctx.Err()
		case <-timer.C:
		}
	}
}

// passing is one try to pass a gate, against one tip.
type passing struct {
	*Project
	cfg       *config.Config
	tip       string
	set       *plans.Set
	effective map[plans.Key]gate.Effective
	req       PassRequest
	actor     Actor
	copies    []workingCopy
	// seen are the heads under review before anything was fetched; nil where this clone has the truth.
	seen map[plans.Key]string
}

func (w *passing) draft(ctx context.Context) (*record.Draft, []Passed, error) {
	changed := map[plans.Key]Change{}
	var edits []record.Edit
	var passed []Passed
	var trailers, acceptedHeads []string
	var acceptedKeys []plans.Key
	for _, name := range w.req.Plans {
		entry, err := w.set.Find(name)
		if err != nil {
			return nil, nil, err
		}
		if entry.Err != nil {
			return nil, nil, entry.Err
		}
		if _, twice := changed[entry.Key]; twice {
			continue
		}
		from := w.effective[entry.Key].Status
		if err := w.allowed(ctx, entry, from); err != nil {
			return nil, nil, err
		}
		e, t, err := w.editsOf(ctx, entry, from)
		if err != nil {
			return nil, nil, err
		}
		edits, trailers = append(edits, e...), append(trailers, t...)
		changed[entry.Key] = Change{Key: entry.Key, From: from, Steps: []plans.Status{w.req.To}}
		passed = append(passed, Passed{Key: entry.Key, From: from, To: w.req.To})
		if w.req.To == plans.Accepted {
			acceptedKeys, acceptedHeads = append(acceptedKeys, entry.Key), append(acceptedHeads, entry.Record.Head)
		}
	}
	if len(passed) == 0 {
		return nil, nil, nil
	}
	if w.req.To == plans.Accepted {
		trailers = append(trailers, gate.Accepts(acceptedKeys, acceptedHeads)...)
	}
	board, err := w.board(ctx, changed)
	if err != nil {
		return nil, nil, err
	}
	who := w.actor.ident()
	return &record.Draft{
		Message: passMessage(passed, w.req.Message, trailers), Author: who, Committer: who, Sign: w.actor.Sign, Edits: append(edits, board...),
	}, passed, nil
}

// allowed refuses what the matrix does not have, and names what it has.
func (w *passing) allowed(ctx context.Context, entry *plans.Entry, from plans.Status) error {
	if !plans.CanMove(plans.Person, from, w.req.To) {
		return &MoveError{Key: entry.Key, From: from, To: w.req.To, Allowed: plans.Moves(plans.Person, from)}
	}
	if from == plans.Icebox && w.req.To == plans.InReview && w.effective[entry.Key].IcedFrom != plans.InReview {
		return fmt.Errorf("%s was not in review when it was put aside\n  tendril approve %s lets an agent work on it, tendril draft %s takes it back to be written", entry.Key, entry.Key, entry.Key)
	}
	if w.req.To == plans.ChangesRequested && strings.TrimSpace(w.req.Message) == "" {
		return w.reviewed(ctx, entry)
	}
	if w.req.To == plans.Accepted && (entry.Record == nil || entry.Record.Head == "") {
		return fmt.Errorf("%s: nothing was verified that could be accepted", entry.Key)
	}
	if w.req.To == plans.Accepted {
		if err := w.vouched(ctx, entry); err != nil {
			return err
		}
		return unseen(w.seen, entry)
	}
	return nil
}

// reviewed asks that review.md on the branch has words about the round under review: an agent that is asked for changes
// without a word would be paid for guessing.
func (w *passing) reviewed(ctx context.Context, entry *plans.Entry) error {
	file := path.Join(w.cfg.Plans, string(entry.Key), plans.ReviewFile)
	data, err := w.fileAt(ctx, w.tip, file)
	if err != nil {
		return err
	}
	round := roundOf(entry)
	rounds, err := plans.ParseReview(data)
	if err == nil && len(rounds) > 0 && rounds[len(rounds)-1].Number >= round {
		return nil
	}
	return fmt.Errorf("%s: a request for changes needs your words\n  give them with -m, or commit a heading \"## Round %d, DATE, NAME\" with words under it in %s", entry.Key, round, file)
}

// roundOf is the round under review.
func roundOf(entry *plans.Entry) int {
	if entry.Record != nil && entry.Record.Round > 0 {
		return entry.Record.Round
	}
	return 1
}

// MoveError says that a plan may not be set to a status from where it stands.
type MoveError struct {
	Key      plans.Key
	From, To plans.Status
	Allowed  []plans.Status
}

func (e *MoveError) Error() string {
	if e.From == e.To {
		return fmt.Sprintf("%s is %s already", e.Key, e.From)
	}
	if len(e.Allowed) == 0 {
		return fmt.Sprintf("%s is %s, which nothing leaves", e.Key, e.From)
	}
	words := make([]string, len(e.Allowed))
	for i, s := range e.Allowed {
		words[i] = string(s)
	}
	return fmt.Sprintf("%s is %s and cannot become %s\n  from there it can become: %s", e.Key, e.From, e.To, strings.Join(words, ", "))
}

// editsOf is what passing changes in one plan's folder, and its trailers.
func (w *passing) editsOf(ctx context.Context, entry *plans.Entry, from plans.Status) ([]record.Edit, []string, error) {
	text, err := w.text(entry)
	if err != nil {
		return nil, nil, err
	}
	data, err := plans.SetStatus(text, w.req.To)
	if err != nil {
		return nil, nil, err
	}
	edits := []record.Edit{{Path: entry.Plan.Path, Data: data}}
	var trailers []string
	switch {
	case w.req.To == plans.Approved && w.req.Fresh:
		trailers = append(trailers, FreshTrailer+": "+string(entry.Key))
	case w.req.To == plans.ChangesRequested && w.req.Message != "":
		review, err := w.review(ctx, entry)
		if err != nil {
			return nil, nil, err
		}
		edits = append(edits, review)
	}
	return edits, trailers, nil
}

// review is review.md with the person's words as the newest round.
func (w *passing) review(ctx context.Context, entry *plans.Entry) (record.Edit, error) {
	file := path.Join(w.cfg.Plans, string(entry.Key), plans.ReviewFile)
	existing, err := w.fileAt(ctx, w.tip, file)
	if err != nil {
		return record.Edit{}, err
	}
	data := plans.AppendReview(existing, plans.Round{
		Number: roundOf(entry), Date: w.Now(), By: w.actor.Name, Text: []byte(w.req.Message),
	})
	return record.Edit{Path: file, Data: data}, nil
}

// text is the plan's text to be committed: the branch's, or with WithEdits the working copy's. A working copy that says
// something else is refused, since what was read would not be what is approved.
func (w *passing) text(entry *plans.Entry) ([]byte, error) {
	for _, c := range w.copies {
		own, id, err := c.read(entry, w.Repo.Format)
		if err != nil {
			return nil, err
		}
		if own == nil || id == entry.Plan.TextID {
			continue
		}
		if w.req.WithEdits {
			return own, nil
		}
		if w.req.To == plans.Approved {
			return nil, &EditedError{Key: entry.Key, Path: c.path(entry), Branch: entry.Plan.Text, Edited: own}
		}
	}
	return entry.Plan.Text, nil
}

func (w *passing) board(ctx context.Context, changed map[plans.Key]Change) ([]record.Edit, error) {
	existing, err := w.fileAt(ctx, w.tip, path.Join(w.cfg.Plans, plans.BoardFile))
	if err != nil {
		return nil, err
	}
	list := make([]Change, 0, len(changed))
	for _, c := range changed {
		list = append(list, c)
	}
	return boardEdit(w.cfg.Plans, w.set, w.effective, list, nil, existing)
}

// passMessage is the message of a person's gate commit.
func passMessage(passed []Passed, words string, trailers []string) string {
	subject := fmt.Sprintf("%s: %s", passed[0].Key, passed[0].To)
	if len(passed) > 1 {
		subject = fmt.Sprintf("%d plans: %s", len(passed), passed[0].To)
	}
	parts := []string{subject}
	if words = strings.TrimSpace(words); words != "" {
		parts = append(parts, words)
	}
	if len(trailers) > 0 {
		parts = append(parts, strings.Join(trailers, "\n"))
	}
	return strings.Join(parts, "\n\n") + "\n"
}
