package plans

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStrays(t *testing.T) {
	t.Parallel()
	files := []string{"0001-a/plan.md", "0002-Big/plan.md", "0003-\u00f6/plan.md", "12-short/plan.md", "0004-x y/notes.md", "0005-A/b/plan.md", "templates/plan.md", "plan.md"}
	for dir, want := range map[string][]string{"plans": {"0002-Big", "0003-\u00f6", "12-short"}, "": {"0002-Big", "0003-\u00f6", "12-short"}} {
		var tree []treeFile
		for _, name := range files {
			if dir != "" {
				name = dir + "/" + name
			}
			tree = append(tree, treeFile{mode: "100644", path: name})
		}
		if diff := cmp.Diff(want, strays(tree, dir)); diff != "" {
			t.Errorf("in %q (-want +got)\n%s", dir, diff)
		}
	}
}
