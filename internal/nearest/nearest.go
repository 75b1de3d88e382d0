// Package nearest finds the word that somebody probably meant: for "did you mean" in errors. It imports no room.
package nearest

// Word returns the candidate closest to word, or "" when none is close: at most one mistake in three letters, and
// never more than three. The first of equally close ones wins.
func Word(word string, candidates []string) string {
	best, bestAt := "", min(3, max(1, len(word)/3))+1
	for _, c := range candidates {
		if d := distance(word, c); d < bestAt {
			best, bestAt = c, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with their neighbour to come from a to b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last := make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row := make([]int, len(t)+1)
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(t)]
}
