package plans

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CostRow is one agent run in costs.csv. A nil number is unknown, which is never 0.
type CostRow struct {
	// Run is the row's identity.
	Run, Unit, Candidate string
	// Round and Attempt count from 1; 0 where the run belongs to none.
	Round, Attempt int
	Agent, Model   string
	Started        time.Time
	Seconds        *float64
	// Input is without what came from or went into the cache.
	Input, CacheRead, CacheWrite, Output, Reasoning *int64
	USD                                             *float64
	// Source says where the figures come from, Outcome how the run ended.
	Source, Outcome string
}

// costHeader is the first line of costs.csv. It is the format's version as well: another header is another version.
func costHeader() []string {
	return []string{
		"run", "unit", "candidate", "round", "attempt", "agent", "model", "started", "seconds", "input", "cache_read", "cache_write", "output",
		"reasoning", "usd", "source", "outcome",
	}
}

// ParseCosts reads costs.csv; path is for messages. A file without a byte has no rows. A run that stands twice, as after a
// merge, counts once: its last row. Errors are *SyntaxError.
func ParseCosts(path string, src []byte) ([]CostRow, error) {
	if bad := checkText(src); bad != nil {
		return nil, bad.at(path)
	}
	if bad := findConflict(src, 0, len(src), nil); bad != nil {
		return nil, bad.at(path)
	}
	src = bytes.TrimPrefix(src, byteOrderMark)
	if len(bytes.TrimSpace(src)) == 0 {
		return nil, nil
	}
	r := csv.NewReader(bytes.NewReader(src))
	r.FieldsPerRecord = -1
	records, err := r.ReadAll()
	if err != nil {
		return nil, &SyntaxError{Path: path, Msg: "not CSV: " + err.Error(), Hint: recordHint}
	}
	if !slices.Equal(records[0], costHeader()) {
		return nil, &SyntaxError{
			Path: path, Line: 1, Column: 1, Msg: "the header is not " + strings.Join(costHeader(), ","),
			Hint: "upgrade tendril here if a newer one wrote the file",
		}
	}
	var rows []CostRow
	for i, rec := range records[1:] {
		row, bad := parseCost(rec)
		if bad != nil {
			bad.Line, bad.Column = i+2, 1
			return nil, bad.at(path)
		}
		rows = putCost(rows, row)
	}
	return rows, nil
}

func parseCost(rec []string) (CostRow, *SyntaxError) {
	if len(rec) != len(costHeader()) {
		return CostRow{}, &SyntaxError{Msg: fmt.Sprintf("%d columns instead of %d", len(rec), len(costHeader())), Hint: recordHint}
	}
	c := columns{values: rec}
	row := CostRow{
		Run: c.next(), Unit: c.next(), Candidate: c.next(), Round: c.count(), Attempt: c.count(), Agent: c.next(), Model: c.next(),
		Started: c.time(), Seconds: c.float(), Input: c.tokens(), CacheRead: c.tokens(), CacheWrite: c.tokens(), Output: c.tokens(),
		Reasoning: c.tokens(), USD: c.float(), Source: c.next(), Outcome: c.next(),
	}
	if row.Run == "" {
		c.fail("run", "")
	}
	return row, c.bad
}

// columns takes a row apart from left to right and keeps the first thing that is wrong.
type columns struct {
	values []string
	at     int
	bad    *SyntaxError
}

func (c *columns) next() string {
	c.at++
	return c.values[c.at-1]
}

func (c *columns) fail(column, value string) {
	if c.bad == nil {
		c.bad = &SyntaxError{Msg: fmt.Sprintf("%s: %q is not one", column, clip(value)), Hint: recordHint}
	}
}

func (c *columns) count() int {
	s := c.next()
	if s == "" {
		return 0
	}
	v, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		c.fail(costHeader()[c.at-1], s)
	}
	return int(v)
}

func (c *columns) tokens() *int64 {
	s := c.next()
	if s == "" {
		return nil
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v < 0 {
		c.fail(costHeader()[c.at-1], s)
	}
	return &v
}

func (c *columns) float() *float64 {
	s := c.next()
	if s == "" {
		return nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v < 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		c.fail(costHeader()[c.at-1], s)
	}
	return &v
}

func (c *columns) time() time.Time {
	s := c.next()
	if s == "" {
		return time.Time{}
	}
	v, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		c.fail(costHeader()[c.at-1], s)
	}
	return v.UTC()
}

// putCost adds a row, or replaces the one of the same run where it stands.
func putCost(rows []CostRow, row CostRow) []CostRow {
	if i := slices.IndexFunc(rows, func(r CostRow) bool { return r.Run == row.Run }); i >= 0 {
		rows[i] = row
		return rows
	}
	return append(rows, row)
}

// MarshalCosts returns costs.csv: the header, and one line a row, numbers in the same notation everywhere. A row without a
// run, and a figure that no cost can be (negative, not a number), is an error.
func MarshalCosts(rows []CostRow) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(costHeader()); err != nil {
		return nil, fmt.Errorf("write %s: %w", CostsFile, err)
	}
	for _, r := range rows {
		rec := []string{
			r.Run, r.Unit, r.Candidate, count(r.Round), count(r.Attempt), r.Agent, r.Model, instant(r.Started), figure(r.Seconds), tally(r.Input),
			tally(r.CacheRead), tally(r.CacheWrite), tally(r.Output), tally(r.Reasoning), figure(r.USD), r.Source, r.Outcome,
		}
		for i := range rec {
			rec[i] = strings.ToValidUTF8(strings.Join(strings.Fields(strings.ReplaceAll(rec[i], "\x00", " ")), " "), "\uFFFD")
		}
		if _, bad := parseCost(rec); bad != nil {
			return nil, fmt.Errorf("write %s: run %q: %w", CostsFile, clip(r.Run), bad)
		}
		if err := w.Write(rec); err != nil {
			return nil, fmt.Errorf("write %s: %w", CostsFile, err)
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, fmt.Errorf("write %s: %w", CostsFile, err)
	}
	return b.Bytes(), nil
}

// AppendCost returns an existing costs.csv (nil or empty: none yet) with the row added; a row of the same run is replaced, so
// that doing it again counts nothing twice. Errors are those of ParseCosts and MarshalCosts.
func AppendCost(existing []byte, row CostRow) ([]byte, error) {
	rows, err := ParseCosts(CostsFile, existing)
	if err != nil {
		return nil, err
	}
	return MarshalCosts(putCost(rows, row))
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func tally(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func figure(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
