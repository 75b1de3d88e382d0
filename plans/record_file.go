package plans

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

const recordHeader = "# written by tendril\n"

// recordMigrations hold, for each older version of record.yaml, what turns its keys into the next version's. Version
// 1 is the first, so there are none. It is read only.
var recordMigrations = map[int]func(*yaml.Node) error{}

// ParseRecord reads record.yaml; path is for messages. An older version is migrated; a newer one, like everything else that
// cannot be understood whole, is a *SyntaxError.
func ParseRecord(path string, src []byte) (*Record, error) {
	var r Record
	if bad := decodeVersioned(src, &r, &r.Version, RecordVersion, recordMigrations); bad != nil {
		return nil, bad.at(path)
	}
	if _, err := ParseKey(string(r.Key)); err != nil {
		return nil, &SyntaxError{Path: path, Msg: fmt.Sprintf("key: %q is not a plan's key", clip(string(r.Key))), Hint: recordHint}
	}
	if !r.Reason.valid() {
		return nil, &SyntaxError{Path: path, Msg: fmt.Sprintf("reason: %q is not one", clip(string(r.Reason))), Hint: recordHint}
	}
	return &r, nil
}

const recordHint = "take the file back from an earlier commit: git log -- the file"

// Marshal returns record.yaml. Equal records give equal bytes; times are written in UTC to the second, or to the nanosecond
// where they have a part of one.
func (r *Record) Marshal() ([]byte, error) {
	c := *r
	c.Version = RecordVersion
	c.StateSince = c.StateSince.UTC()
	c.Attempts = make([]Attempt, len(r.Attempts))
	for i, a := range r.Attempts {
		a.Started, a.Seconds = a.Started.UTC(), seconds(a.Seconds)
		c.Attempts[i] = a
	}
	if r.Approved != nil {
		a := *r.Approved
		a.At = a.At.UTC()
		c.Approved = &a
	}
	if r.Accepted != nil {
		a := *r.Accepted
		a.At = a.At.UTC()
		c.Accepted = &a
	}
	out, err := marshalYAML(&c)
	if err != nil {
		return nil, fmt.Errorf("write %s of %s: %w", RecordFile, r.Key, err)
	}
	return append([]byte(recordHeader), out...), nil
}
