package lifecycle

import (
	"testing"
	"time"

	"tendril/plans"
)

func TestStarvePause(t *testing.T) {
	t.Parallel()
	for times, want := range map[int]time.Duration{
		0: 0, 4: 0, 5: 5 * time.Second, 6: 10 * time.Second, 9: 80 * time.Second, 14: 30 * time.Minute, 199: 30 * time.Minute,
	} {
		if got := starvePause(times); got != want {
			t.Errorf("%d: %s, want %s", times, got, want)
		}
	}
}

func TestAStarvedDeliveryRestsOnceForEachMove(t *testing.T) {
	t.Parallel()
	w := &work{now: time.Unix(1000, 0), rec: &plans.Record{}, one: decided{entry: &plans.Entry{}}, tell: func(plans.Key, string, string, string, ...any) {}}
	w.rec.Base.Ref, w.one.delivery.Times = "main", 6
	wait := w.starved()
	if wait == nil {
		t.Fatal("it goes on at once")
	}
	var pr progress
	wait(&pr)
	if pr.retryAt != w.now.Add(10*time.Second) || !pr.stuck || pr.record.Detail != "main moved 6 times while the merge with it was checked" {
		t.Errorf("%+v", pr)
	}
	// After the pause the next merge is made, and the pause after that is a longer one.
	if w.prior = pr; w.starved() != nil {
		t.Error("it rests again without a try")
	}
	if w.one.delivery.Times = 7; w.starved() == nil {
		t.Error("the next move is not waited for")
	}
}
