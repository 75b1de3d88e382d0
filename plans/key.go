package plans

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gosimple/slug"
)

// Key is the name of a plan's folder and so its identity: NNNN-slug.
type Key string

const (
	// MaxSlug is the greatest length of a key's slug, in bytes (which are all ASCII).
	MaxSlug = 60
	// minDigits and maxDigits bound the number in a key; nine digits fit an int on every platform.
	minDigits, maxDigits = 4, 9
	// emptySlug stands for a title of which nothing can be transliterated.
	emptySlug = "plan"
)

// ParseKey returns s as a key when it is one: at least four digits, a hyphen, and a slug of 1 to 60 of [a-z0-9-]. All else,
// and so everything that could leave the plans folder or name a device or a lock, is refused.
func ParseKey(s string) (Key, error) {
	digits := leadingDigits(s)
	if digits < minDigits || digits > maxDigits || digits == len(s) || s[digits] != '-' {
		return "", fmt.Errorf("%q is not a plan's key\n  a key is a number of four digits or more and a slug, as in 0007-add-search-button", clip(s))
	}
	rest := s[digits+1:]
	if rest == "" || len(rest) > MaxSlug {
		return "", fmt.Errorf("%q is not a plan's key: the slug must have 1 to %d characters, it has %d", clip(s), MaxSlug, len(rest))
	}
	for i := range len(rest) {
		if !isSlugByte(rest[i]) {
			return "", fmt.Errorf("%q is not a plan's key: a slug holds only a-z, 0-9 and hyphens", clip(s))
		}
	}
	return Key(s), nil
}

// Number returns the number that the key begins with, 0 for a value that is no key.
func (k Key) Number() int {
	digits := leadingDigits(string(k))
	if digits > maxDigits {
		return 0
	}
	n, err := strconv.Atoi(string(k[:digits]))
	if err != nil {
		return 0
	}
	return n
}

// Branch returns the short name of the plan's own branch, tendril/KEY.
func (k Key) Branch() string { return "tendril/" + string(k) }

// Slug turns a title in any script into the slug of a key: transliterated, lower case, cut at a hyphen to 60 characters;
// "plan" when nothing is left.
func Slug(title string) string {
	s := strings.ReplaceAll(slug.MakeLang(title, "en"), "_", "-")
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	s = strings.Trim(s, "-")
	if len(s) > MaxSlug {
		// One byte more, so that a word which ends exactly at the limit stays whole.
		s = s[:MaxSlug+1]
		if cut := strings.LastIndexByte(s, '-'); cut > 0 {
			s = s[:cut]
		} else {
			s = s[:MaxSlug]
		}
	}
	for i := range len(s) {
		if !isSlugByte(s[i]) {
			return emptySlug
		}
	}
	if s == "" {
		return emptySlug
	}
	return s
}

// MakeKey returns the key of a new plan with number n (not negative, below 10^9) and the title's slug.
func MakeKey(n int, title string) Key { return Key(fmt.Sprintf("%04d-%s", n, Slug(title))) }

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func isSlugByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-'
}

// clip keeps a message short whatever it quotes.
func clip(s string) string {
	const limit = 80
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
