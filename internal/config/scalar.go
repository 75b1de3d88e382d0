package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration is a length of time, written as "90s", "10m" or "2h30m".
type Duration time.Duration

// Std is d as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String writes d in the way it is read: "2h", "1m30s".
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// MarshalText writes d in the way it is read.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads "90s", "10m", "2h30m"; a number without a unit and a negative length are errors.
func (d *Duration) UnmarshalText(text []byte) error {
	s := string(text)
	v, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a length of time; write it with its unit, as 90s, 10m or 2h", s)
	case v < 0:
		return fmt.Errorf("%s is negative", s)
	}
	*d = Duration(v)
	return nil
}

// Tokens is a number of tokens, written as 8000 or 8k.
type Tokens int

// UnmarshalText reads 8000 or 8k.
func (n *Tokens) UnmarshalText(text []byte) error {
	s := string(text)
	digits, thousands := strings.CutSuffix(strings.ToLower(s), "k")
	v, err := parseInt(digits)
	if err == nil && thousands {
		if v > 1<<31/1000 {
			err = errors.New("too large")
		}
		v *= 1000
	}
	if err != nil || v < 0 {
		return fmt.Errorf("%q is not a number of tokens; write it as 8000 or 8k", s)
	}
	*n = Tokens(v)
	return nil
}

// MarshalText writes n as a plain number.
func (n Tokens) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(n), 10), nil }

// parseInt reads a plain decimal number. What looks like an octal or has separators is no number here: YAML's readers
// do not agree on it.
func parseInt(s string) (int, error) {
	digits := strings.TrimPrefix(s, "-")
	if len(digits) > 1 && digits[0] == '0' || strings.HasPrefix(s, "+") || strings.Contains(s, "_") {
		return 0, fmt.Errorf("%q is not a plain number", s)
	}
	v, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", s)
	}
	return v, nil
}
