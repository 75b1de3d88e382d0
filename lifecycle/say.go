package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/renameio/v2/maybe"

	"tendril/plans"
	"tendril/runners"
)

const (
	// longestWord bounds one message, in bytes: it becomes part of a prompt.
	longestWord = 256 << 10
	// mostTurns bounds the turns beside the attempts of one round: each costs money, and none is counted as an attempt.
	mostTurns = 20
)

// Word is what a person said to a plan's agent.
type Word = runners.Word

// Said is what became of words that a person said.
type Said struct {
	Key plans.Key `json:"key"`
	// ID names the words; Waiting counts those that wait, these included.
	ID      string `json:"id"`
	Waiting int    `json:"waiting"`
	// Status is the plan's, When what happens to the words, for people.
	Status plans.Status `json:"status"`
	When   string       `json:"when"`
	// Engine is true while an engine works in this clone.
	Engine bool `json:"engine"`
}

// saidDir holds the words that wait, a folder for each plan.
func (p *Project) saidDir() string { return filepath.Join(p.Runtime, "said") }

// Say leaves words for the agent of a plan: its next turn, in its session. They wait in a file until a run takes them; no
// attempt is spent. Words that nobody would hear are refused, and the error names the command that is meant.
func (p *Project) Say(ctx context.Context, by, name, text string) (Said, error) {
	text, err := sayable(text)
	if err != nil {
		return Said{}, err
	}
	snap, one, err := p.find(ctx, name)
	if err != nil {
		return Said{}, err
	}
	if err := notElsewhere(one); err != nil {
		return Said{}, err
	}
	if err := p.hears(snap, one); err != nil {
		return Said{}, err
	}
	key := one.entry.Key
	word := runners.Word{At: p.Now().UTC(), By: by, Text: text}
	if word.ID, err = p.leaveWord(key, word); err != nil {
		return Said{}, err
	}
	p.wakeEngine()
	// The plan may have gone on while this was written: then nobody hears the words any more, and they are taken back.
	if snap, one, err = p.find(ctx, name); err != nil {
		return Said{}, err
	}
	waiting := waitingWords(snap.said[key], snap.runs[key])
	if refusal := p.hears(snap, one); refusal != nil && slices.ContainsFunc(waiting, func(w runners.Word) bool { return w.ID == word.ID }) {
		if err := p.removeWords(key, []runners.Word{word}); err != nil {
			return Said{}, err
		}
		return Said{}, refusal
	}
	engine, err := p.EngineRuns()
	return Said{
		Key: key, ID: word.ID, Waiting: len(waiting), Status: one.facts.Status,
		When: whenHeard(one.facts), Engine: engine,
	}, err
}

// sayable trims words and refuses what is none.
func sayable(text string) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", errors.New("there is nothing to say\n  tendril say KEY \"TEXT\", or - to read it from standard input")
	case len(text) > longestWord:
		return "", fmt.Errorf("%d KiB are too much to say\n  commit a file to the plan's branch and name it; the limit is %d KiB", len(text)>>10, longestWord>>10)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", errors.New("what is said is not UTF-8 text\n  convert it first")
	}
	return text, nil
}

// hears refuses words that the plan's agent would not get.
func (p *Project) hears(snap *snapshot, one decided) error {
	key := one.entry.Key
	if one.facts.Problem != "" {
		return fmt.Errorf("%s: %s\n  tendril edit %s", key, one.facts.Problem, key)
	}
	if err := refuseWords(key, one.facts.Status); err != nil {
		return err
	}
	choice, err := p.agentFor(snap, one.entry.Plan)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if choice.Agent.UsesScript() {
		return fmt.Errorf("%s: agent %s runs the plan's own blocks and reads no words\n  change the plan instead: tendril draft %s, then tendril edit %s", key, choice.Name, key, key)
	}
	if n := turnsOf(ofRound(snap.runs[key], roundNow(one.entry))); n >= mostTurns && atWork(one.facts.Status) {
		return fmt.Errorf("%s: %d turns were said in this round, which is the limit\n  tendril attach %s talks with the agent itself, tendril request-changes begins a new round", key, n, key)
	}
	return nil
}

// roundNow is the round of the plan's record.
func roundNow(entry *plans.Entry) int {
	if entry.Record == nil {
		return 0
	}
	return entry.Record.Round
}

// refuseWords says why nobody hears words to a plan that stands there, and what is meant instead; nil where they are heard.
func refuseWords(key plans.Key, status plans.Status) error {
	var instead string
	switch status {
	case plans.Approved, plans.Executing, plans.Verifying, plans.ChangesRequested:
		return nil
	case plans.InReview, plans.Accepted:
		instead = fmt.Sprintf("tendril request-changes %s -m TEXT sends it back with your words", key)
	case plans.Failed:
		instead = fmt.Sprintf("tendril attach %s talks with its agent; tendril edit %s and tendril approve %s begin anew", key, key, key)
	case plans.Draft, plans.Icebox:
		instead = fmt.Sprintf("nobody works on it yet: put it into the plan with tendril edit %s, then tendril approve %s", key, key)
	case plans.Rejected:
		instead = fmt.Sprintf("tendril approve %s takes it up again", key)
	default:
		instead = "write a new plan: tendril new TITLE"
	}
	return fmt.Errorf("%s is %s: its agent hears nothing now\n  %s", key, status, instead)
}

// whenHeard says what happens to words next.
func whenHeard(f Facts) string {
	switch {
	case f.Status == plans.Approved || f.Status == plans.ChangesRequested:
		return "your words go with the first prompt"
	case f.Status == plans.Verifying:
		return "your words are the next turn once the checks end"
	case f.Run.Alive:
		return "your words are the next turn once the run under way ends"
	default:
		return "your words are the next turn"
	}
}

// leaveWord writes words down for good and returns their id: in its order words are told.
func (p *Project) leaveWord(key plans.Key, word runners.Word) (string, error) {
	dir := filepath.Join(p.saidDir(), string(key))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("say to %s: %w", key, err)
	}
	word.ID = fmt.Sprintf("%s-%.8s", word.At.Format("20060102T150405.000000000"), p.NewID())
	data, err := json.MarshalIndent(word, "", "  ")
	if err != nil {
		return "", fmt.Errorf("say to %s: %w", key, err)
	}
	if err := writeSynced(filepath.Join(dir, word.ID+wordSuffix), data); err != nil {
		return "", fmt.Errorf("say to %s: %w", key, err)
	}
	return word.ID, nil
}

const wordSuffix = ".json"

// saidWords reads the words of every plan that lie there, taken or not, in their order.
func (p *Project) saidWords() (map[plans.Key][]runners.Word, map[plans.Key]error, error) {
	folders, err := os.ReadDir(p.saidDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read what was said: %w", err)
	}
	all, damaged := map[plans.Key][]runners.Word{}, map[plans.Key]error{}
	for _, f := range folders {
		key := plans.Key(f.Name())
		words, err := readWords(filepath.Join(p.saidDir(), f.Name()))
		if err != nil {
			damaged[key] = err
			continue
		}
		all[key] = words
	}
	return all, damaged, nil
}

func readWords(dir string) ([]runners.Word, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read what was said: %w", err)
	}
	var words []runners.Word
	for _, f := range files {
		// What begins with a dot is being written.
		if strings.HasPrefix(f.Name(), ".") || !strings.HasSuffix(f.Name(), wordSuffix) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var word runners.Word
		if err == nil {
			err = json.Unmarshal(data, &word)
		}
		if err != nil {
			return nil, fmt.Errorf("read what was said: %s: %w", filepath.Join(dir, f.Name()), err)
		}
		word.ID = strings.TrimSuffix(f.Name(), wordSuffix)
		words = append(words, word)
	}
	return words, nil
}

// removeWords takes words away; those that are gone are what was wanted.
func (p *Project) removeWords(key plans.Key, words []runners.Word) error {
	dir := filepath.Join(p.saidDir(), string(key))
	for _, w := range words {
		if err := os.Remove(filepath.Join(dir, w.ID+wordSuffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("take back what was said to %s: %w", key, err)
		}
	}
	return nil
}

// writeSynced writes a file that is there whole and for good once this returns.
func writeSynced(file string, data []byte) error {
	if err := maybe.WriteFile(file, data, 0o600); err != nil || runtime.GOOS == "windows" {
		return err // a folder cannot be synced there
	}
	dir, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
