package lifecycle

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tendril/plans"
)

// firstLine is s up to its first newline.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// joinNonEmpty joins the parts that are not empty.
func joinNonEmpty(sep string, parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, sep)
}

// branchName is a ref as people write it.
func branchName(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

// oneLine joins the lines of a message with semicolons.
func oneLine(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return joinNonEmpty("; ", lines...)
}

// joinKeys joins keys.
func joinKeys(keys []plans.Key, sep string) string {
	words := make([]string, len(keys))
	for i, k := range keys {
		words[i] = string(k)
	}
	return strings.Join(words, sep)
}

// asError is errors.As for a target that is declared beside the call.
func asError[T error](err error, target *T) bool { return errors.As(err, target) }

// sorted returns s, sorted.
func sorted(s []string) []string {
	slices.Sort(s)
	return s
}

// nextWords is what a person can do about a plan that has just reached a state, as a command.
func nextWords(key plans.Key, status plans.Status) string {
	switch status {
	case plans.InReview:
		return fmt.Sprintf("tendril diff %s, then tendril accept %s", key, key)
	case plans.Failed:
		return fmt.Sprintf("tendril show %s", key)
	default:
		return ""
	}
}
