package gate

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"tendril/internal/git"
	"tendril/plans"
)

// Effective is what the history of one plan.md grants it.
type Effective struct {
	// Status counts. Raw is what the newest readable version says; it differs where the newest step was not a legal one.
	Status, Raw plans.Status
	// IcedFrom is the status that the plan had before it was last put aside; only a plan that was in review goes back to it.
	IcedFrom plans.Status
	// Commit is the first-parent commit of the plans branch that set Status; empty before the first legal step.
	Commit string
	// Invalid are the steps that were ignored, oldest first. The slice is not to be changed.
	Invalid []Invalid
}

// Ignored returns the newest ignored step while the file says something else than what counts.
func (e Effective) Ignored() (Invalid, bool) {
	if e.Raw == e.Status || len(e.Invalid) == 0 {
		return Invalid{}, false
	}
	return e.Invalid[len(e.Invalid)-1], true
}

// Invalid is a step outside the matrix: it counts as not made.
type Invalid struct {
	// Commit made the step, Author is "Name <email>" of it.
	Commit, Author string
	From, To       plans.Status
	// Why says in one line what is wrong with it.
	Why string
}

// History folds the history of every plan of the plans branch: which status counts, when only the steps of section 2 of
// the design do. It remembers what it read, so that a newer tip costs only the commits between. It may be used from
// several goroutines.
type History struct {
	repo  *git.Repo
	rules Rules

	mu   sync.Mutex
	tip  string
	book *book
	// tracks are by key.
	tracks map[plans.Key]track
	// cache is the file of KeepIn, unsaved how many commits it lacks.
	cache   string
	unsaved int
}

// NewHistory returns a history that has read nothing yet. Of the rules it needs PlansDir and the identities.
func NewHistory(repo *git.Repo, rules Rules) *History {
	return &History{repo: repo, rules: rules, book: newBook()}
}

// Learn tells the history the status in versions of plans, by blob id, that the caller has parsed already, so that they
// are not read once more.
func (h *History) Learn(statuses map[string]plans.Status) {
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.Copy(h.book.statuses, statuses)
}

// At returns what counts at tip (a full commit id) of the plans branch, for every plan.md that is there. A version that
// cannot be read is passed over. The map is the caller's. Errors are git's.
func (h *History) At(ctx context.Context, tip string) (map[plans.Key]Effective, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.advance(ctx, tip); err != nil {
		return nil, err
	}
	out := make(map[plans.Key]Effective, len(h.tracks))
	for key, t := range h.tracks {
		if !t.there {
			continue
		}
		t.effective.Status, t.effective.IcedFrom = t.current(), t.icedFrom
		out[key] = t.effective
	}
	return out, nil
}

// advance brings the state to tip: by the commits between where the old tip is on its first-parent line, else anew.
func (h *History) advance(ctx context.Context, tip string) error {
	if h.tip == "" && h.cache != "" {
		h.restore()
	}
	if h.tip == tip {
		return nil
	}
	spec := plansSpec(h.rules.PlansDir)
	tracks := maps.Clone(h.tracks)
	commits, onLine, err := h.between(ctx, tip, spec)
	if err != nil {
		return err
	}
	if !onLine {
		tracks = map[plans.Key]track{}
		if commits, err = readLog(ctx, h.repo, nil, tip, "--", spec); err != nil {
			return err
		}
	}
	if err := h.fold(ctx, tip, spec, commits, tracks); err != nil {
		return err
	}
	h.tip, h.tracks = tip, tracks
	h.save(len(commits))
	return nil
}

// between returns the commits from the known tip to another one, newest first, and whether the known one is on the
// first-parent line of the other.
func (h *History) between(ctx context.Context, tip, spec string) ([]commit, bool, error) {
	if h.tip == "" {
		return nil, false, nil
	}
	commits, err := readLog(ctx, h.repo, nil, "--sparse", tip, "^"+h.tip, "--", spec)
	if err != nil {
		// The known tip may be gone for good, after a rewind and a gc: then everything is read anew.
		if _, exited := git.ExitCode(err); exited && ctx.Err() == nil {
			return nil, false, nil
		}
		return nil, false, err
	}
	if len(commits) == 0 {
		return nil, false, nil
	}
	oldest := commits[len(commits)-1]
	return commits, len(oldest.parents) > 0 && oldest.parents[0] == h.tip, nil
}

// fold takes the commits of the line that ends at tip, newest first, into tracks.
func (h *History) fold(ctx context.Context, tip, spec string, commits []commit, tracks map[plans.Key]track) error {
	cut, err := readShallow(h.repo)
	if err != nil {
		return err
	}
	if err := h.book.read(ctx, h.repo, commits); err != nil {
		return err
	}
	s := newSides(h.book)
	if err := s.load(ctx, h.repo, tip, spec, commits); err != nil {
		return err
	}
	for _, c := range slices.Backward(commits) {
		if len(c.parents) > 0 {
			s.absorb(c.parents[0])
		}
		for _, ch := range c.changes {
			if key, ok := h.key(ch.path); ok {
				tracks[key] = h.version(tracks[key], s, c, ch, cut[c.id])
			}
		}
	}
	h.book.blobs = map[question]string{}
	return nil
}

// version takes one version of a plan.md on the first-parent line.
func (h *History) version(t track, s *sides, c commit, ch change, cut bool) track {
	t.there = ch.new != ""
	to, ok := h.book.after(ch)
	if !ok {
		return t
	}
	raw := t.effective.Raw
	t.effective.Raw = to
	if len(c.parents) > 1 && to != t.current() {
		if steps := s.steps(s.source(c, ch), ch.path, map[string]bool{}, 0); len(steps) > 0 {
			return t.merge(steps, to, c.id, h.rules)
		}
	}
	// A change of the text alone keeps the status, the one that is ignored too.
	if t.known && raw == to {
		return t
	}
	return t.apply(step{commit: c, before: raw, to: to, given: cut && !t.known}, c.id, h.rules)
}

// key is the key of the plan whose plan.md is at file.
func (h *History) key(file string) (plans.Key, bool) {
	folder := path.Dir(file)
	if path.Dir(folder) != path.Clean(strings.Trim(h.rules.PlansDir, "/")) {
		return "", false
	}
	key, err := plans.ParseKey(path.Base(folder))
	return key, err == nil
}
