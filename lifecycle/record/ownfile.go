package record

import (
	"path"
	"slices"
	"strings"

	"tendril/plans"
)

// ownFile reports whether a path is one of the files that Tendril writes: in a plan's folder all but the plan and the
// review, and the board.
func ownFile(plansDir, file string) bool {
	rest, below := strings.CutPrefix(file, strings.Trim(plansDir, "/")+"/")
	if !below || plansDir == "" {
		return false
	}
	if rest == plans.BoardFile {
		return true
	}
	folder, name := path.Split(rest)
	if _, err := plans.ParseKey(strings.TrimSuffix(folder, "/")); err != nil {
		return false
	}
	own := []string{plans.RecordFile, plans.ChangesFile, plans.VerificationFile, plans.CostsFile, plans.SummaryFile, plans.MemoryFile, plans.ComparisonFile}
	return slices.Contains(own, name) ||
		strings.HasPrefix(name, "changes.") && strings.HasSuffix(name, ".diff") || strings.HasPrefix(name, "verification.") && strings.HasSuffix(name, ".md")
}
