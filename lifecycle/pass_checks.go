package lifecycle

import (
	"context"
	"fmt"
	"path"

	"tendril/plans"
)

// vouched asks for a person's word where no check vouches for what they accept. Who commits the status by hand gives it.
func (w *passing) vouched(ctx context.Context, entry *plans.Entry) error {
	if w.req.Unverified {
		return nil
	}
	file := path.Join(w.cfg.Plans, string(entry.Key), plans.VerificationFile)
	data, err := w.fileAt(ctx, w.tip, file)
	if err != nil || data == nil {
		return err
	}
	v, err := plans.ParseVerification(file, data)
	if err != nil {
		return err
	}
	if v.Result != plans.ResultUnverified {
		return nil
	}
	return fmt.Errorf("%s is UNVERIFIED: no check vouches for it\n  where you have seen to it yourself: tendril accept --unverified %s", entry.Key, entry.Key)
}

// skipsAtGate are the checks that plans which pass a gate leave out.
func skipsAtGate(set *plans.Set, passed []Passed) map[plans.Key]map[string]string {
	all := map[plans.Key]map[string]string{}
	for _, one := range passed {
		if e := entryOf(set, one.Key); isGate(one.To) && e != nil && e.Plan != nil && len(e.Plan.Skip) > 0 {
			all[one.Key] = e.Plan.Skip
		}
	}
	return all
}
