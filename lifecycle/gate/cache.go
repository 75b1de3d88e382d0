package gate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tendril/plans"
)

// saveEvery is how many new commits make it worth writing the cache again; fewer are read anew by the next process.
const saveEvery = 32

// cacheFormat changes with the form of the cache and with the way that history is folded.
const cacheFormat = "tendril history 1"

// saved is one plan in the cache, a line of JSON.
type saved struct {
	Key      plans.Key    `json:"k"`
	Status   plans.Status `json:"s,omitempty"`
	Raw      plans.Status `json:"r,omitempty"`
	Commit   string       `json:"c,omitempty"`
	Invalid  []Invalid    `json:"i,omitempty"`
	IcedFrom plans.Status `json:"f,omitempty"`
	Gone     bool         `json:"g,omitempty"`
}

// KeepIn lets the history begin where an earlier process ended: it reads file before it first looks at git, and writes it
// when enough was added. What cannot be read, belongs to other rules or to another line of history is not used; what
// cannot be written is done without. The file belongs into the runtime folder: whoever may write it decides which status
// counts, though not who passed a gate.
func (h *History) KeepIn(file string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cache = file
}

// fingerprint stands for everything but the commits that the outcome depends on.
func (h *History) fingerprint() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q\n", cacheFormat, h.rules.PlansDir, fold(h.rules.Tendril.Email), fold(h.rules.AgentSuffix))
	for _, by := range []plans.Party{plans.Person, plans.Tendril} {
		for _, from := range plans.Statuses() {
			fmt.Fprintf(sum, "%s %s: %v\n", by, from, plans.Moves(by, from))
		}
	}
	// An unreadable list of where history is cut off fails the reading of history itself.
	cut, _ := os.ReadFile(filepath.Join(h.repo.CommonDir, "shallow"))
	sum.Write(cut)
	return hex.EncodeToString(sum.Sum(nil))
}

// restore takes the state from the cache, where there is one that fits.
func (h *History) restore() {
	data, err := os.ReadFile(h.cache)
	if err != nil {
		return
	}
	head, body, _ := bytes.Cut(data, []byte("\n"))
	f := strings.Fields(string(head))
	sum := sha256.Sum256(body)
	if len(f) != 3 || f[0] != h.fingerprint() || f[1] != hex.EncodeToString(sum[:]) || !isID(f[2], h.repo.Format) {
		return
	}
	tracks := map[plans.Key]track{}
	for line := range bytes.Lines(body) {
		var s saved
		if json.Unmarshal(line, &s) != nil {
			return
		}
		tracks[s.Key] = track{
			effective: Effective{Status: s.Status, Raw: s.Raw, Commit: s.Commit, Invalid: s.Invalid},
			known:     s.Status != "" || len(s.Invalid) > 0, there: !s.Gone, icedFrom: s.IcedFrom,
		}
	}
	h.tip, h.tracks = f[2], tracks
}

// save writes the cache, once enough was added. It is a cache: an error costs time later and nothing else.
func (h *History) save(added int) {
	h.unsaved += added
	if h.cache == "" || h.unsaved < saveEvery {
		return
	}
	var body bytes.Buffer
	lines := json.NewEncoder(&body)
	for key, t := range h.tracks {
		e := t.effective
		if err := lines.Encode(saved{key, e.Status, e.Raw, e.Commit, e.Invalid, t.icedFrom, !t.there}); err != nil {
			return
		}
	}
	sum := sha256.Sum256(body.Bytes())
	head := fmt.Sprintf("%s %s %s\n", h.fingerprint(), hex.EncodeToString(sum[:]), h.tip)
	if replaceFile(h.cache, append([]byte(head), body.Bytes()...)) == nil {
		h.unsaved = 0
	}
}

// replaceFile makes file appear with its whole content, or not at all.
func replaceFile(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".history-*")
	if err != nil {
		return err
	}
	// Gone already when all went well.
	defer func() { _ = os.Remove(tmp.Name()) }()
	if err := writeSynced(tmp, string(data)); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
