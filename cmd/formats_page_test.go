package cmd

import (
	"strings"
	"testing"

	"tendril/plans"
)

// The files shown in docs/plans.md are read by what reads them in a repository, and written back as they are shown.
func TestPlansPageShowsFilesAsTheyAre(t *testing.T) {
	t.Parallel()
	text := page(t, "docs/plans.md")
	const key = plans.Key("0007-add-search-button")
	rec, err := plans.ParseRecord("record.yaml", []byte(block(t, text, "## record.yaml", "yaml")))
	if err != nil {
		t.Fatal(err)
	}
	if rec.Key != key || len(rec.Attempts) != 1 || rec.Approved == nil {
		t.Errorf("record %+v", rec)
	}
	costs, err := plans.ParseCosts("costs.csv", []byte(block(t, text, "## costs.csv", "csv")))
	if err != nil {
		t.Fatal(err)
	}
	if len(costs) != 1 || costs[0].Run != rec.Attempts[0].Run || costs[0].USD == nil {
		t.Errorf("costs %+v", costs)
	}
	v, err := plans.ParseVerification("verification.md", []byte(block(t, text, "## verification.md", "markdown")))
	if err != nil {
		t.Fatal(err)
	}
	if v.Commit != rec.Head || v.Base != rec.Base.Commit || len(v.Checks) != 2 || v.Result != plans.ResultPassed {
		t.Errorf("verification %+v", v)
	}
	rounds, err := plans.ParseReview([]byte(block(t, text, "## review.md", "markdown")))
	if err != nil {
		t.Fatal(err)
	}
	if len(rounds) != 1 || rounds[0].Number != 1 || !strings.Contains(string(rounds[0].Text), "Danish") {
		t.Errorf("review %+v", rounds)
	}
	shown := block(t, text, "## plans/README.md", "markdown")
	board, err := plans.Board([]plans.BoardRow{{Key: key, Title: "Add a search button to the sidebar", Status: plans.Draft}}, []byte(shown))
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(board)) != strings.TrimSpace(shown) {
		t.Errorf("the board is\n%s\nthe page shows\n%s", board, shown)
	}
}
