package lifecycle

import "github.com/aymanbagabas/go-udiff"

// TextDiff is the unified difference between a plan on the branch and a plan as somebody edited it.
func TextDiff(branch, edited []byte) string {
	return udiff.Unified("plan.md on the branch", "plan.md in your working copy", string(branch), string(edited))
}
