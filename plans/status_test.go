package plans

import "testing"

func TestParseStatus(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]Status{
		"draft": Draft, "Draft": Draft, "DRAFT": Draft, "in-review": InReview, "In Review": InReview, "IN_REVIEW": InReview, "inreview": InReview,
		"changes - requested": ChangesRequested, "ChangesRequested": ChangesRequested, " merged ": Merged, "icebox": Icebox, "ice box": Icebox,
		"rejected": Rejected, "accepted": Accepted, "approved": Approved, "executing": Executing, "verifying": Verifying, "failed": Failed,
	} {
		if got, ok := ParseStatus(s); !ok || got != want {
			t.Errorf("ParseStatus(%q) = %q, %v; want %q", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "done", "drafts", "in.review", "in/review", "draft\n", "ｄraft", "~", "null", "true", "-"} {
		if got, ok := ParseStatus(s); ok {
			t.Errorf("ParseStatus(%q) = %q, want none", s, got)
		}
	}
}
