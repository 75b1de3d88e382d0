package lifecycle

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"tendril/internal/config"
	"tendril/internal/redact"
	"tendril/lifecycle/gate"
	"tendril/lifecycle/record"
	"tendril/plans"
)

// Change is what one commit on the plans branch does to one plan.
type Change struct {
	Key plans.Key
	// From is the status that the change was decided on: where the branch says another by now, the change is dropped.
	From plans.Status
	// Steps are the states that follow From, every one in the matrix; none: only files change.
	Steps []plans.Status
	// Record replaces record.yaml; nil leaves it.
	Record *plans.Record
	// Files are written into the plan's folder by name; a nil value deletes.
	Files map[string][]byte
}

// written is what became of a batch of changes.
type written struct {
	result  record.Result
	dropped map[plans.Key]string
}

// write brings changes onto the plans branch in one commit by Tendril's identity. Changes whose plan moved meanwhile are
// dropped and named.
func (p *Project) write(ctx context.Context, cfg *config.Config, history *gate.History, changes []Change, notes map[plans.Key]string) (written, error) {
	out := written{}
	t, err := p.lookSync(ctx)
	if err != nil {
		return out, err
	}
	public, err := p.publications(ctx, cfg, t.remote, changes)
	if err != nil {
		return out, err
	}
	build := func(ctx context.Context, tip string) (*record.Draft, error) {
		out.dropped = map[plans.Key]string{}
		set, effective, err := p.readAt(ctx, cfg, history, tip)
		if err != nil {
			return nil, err
		}
		var kept []Change
		var edits []record.Edit
		for _, c := range changes {
			if why, err := p.claimLost(ctx, cfg, t, tip, entryOf(set, c.Key), effective[c.Key].Status, c); err != nil {
				return nil, err
			} else if why != "" {
				out.dropped[c.Key] = why
				continue
			}
			e, why, err := changeEdits(cfg.Plans, set, effective, c)
			if err != nil {
				return nil, err
			}
			if why != "" {
				out.dropped[c.Key] = why
				continue
			}
			kept, edits = append(kept, c), append(edits, e...)
		}
		if len(kept) == 0 {
			return nil, nil
		}
		existing, err := p.fileAt(ctx, tip, path.Join(cfg.Plans, plans.BoardFile))
		if err != nil {
			return nil, err
		}
		board, err := boardEdit(cfg.Plans, set, effective, kept, notes, existing)
		if err != nil {
			return nil, err
		}
		id := identOf(cfg)
		id.When = p.Now()
		return &record.Draft{Message: changeMessage(cfg, kept), Author: id, Committer: id, Edits: append(edits, board...), Publish: public}, nil
	}
	rec, err := p.recorder(ctx, cfg)
	if err != nil {
		return out, err
	}
	out.result, err = rec.Commit(ctx, build)
	return out, err
}

// readAt reads the plans of a commit and what their statuses count as.
func (p *Project) readAt(ctx context.Context, cfg *config.Config, history *gate.History, tip string) (*plans.Set, map[plans.Key]gate.Effective, error) {
	set, err := p.reader.Read(ctx, tip, cfg.Plans)
	if err != nil {
		return nil, nil, err
	}
	history.Learn(statusesOf(set))
	effective, err := history.At(ctx, tip)
	if err != nil {
		return nil, nil, err
	}
	return set, effective, nil
}

// statusesOf are the statuses of the plans that could be read, by blob.
func statusesOf(set *plans.Set) map[string]plans.Status {
	statuses := make(map[string]plans.Status, len(set.Entries))
	for _, e := range set.Entries {
		if e.Plan != nil {
			statuses[e.Plan.Blob] = e.Plan.Status
		}
	}
	return statuses
}

// alreadyThere is why a change is dropped whose plan went another way.
func alreadyThere(now plans.Status) string { return fmt.Sprintf("the plan is %s now", now) }

// changeEdits turns one change into edits against the set, or says why it no longer applies.
func changeEdits(dir string, set *plans.Set, effective map[plans.Key]gate.Effective, c Change) (edits []record.Edit, dropped string, err error) {
	entry := entryOf(set, c.Key)
	if entry == nil {
		return nil, "the plan is gone from the branch", nil
	}
	if entry.Err != nil {
		return nil, "the plan cannot be read any more", nil
	}
	if now := effective[c.Key].Status; now != c.From {
		return nil, alreadyThere(now), nil
	}
	folder := path.Join(dir, string(c.Key))
	if len(c.Steps) > 0 {
		text, err := plans.SetStatus(entry.Plan.Text, c.Steps[len(c.Steps)-1])
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", c.Key, err)
		}
		edits = append(edits, record.Edit{Path: entry.Plan.Path, Data: text})
	}
	hide := redact.New(os.Environ()).Bytes
	if c.Record != nil {
		rec := *c.Record
		rec.Detail = string(hide([]byte(rec.Detail)))
		data, err := rec.Marshal()
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", c.Key, err)
		}
		edits = append(edits, record.Edit{Path: path.Join(folder, plans.RecordFile), Data: data})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		data := c.Files[name]
		if data == nil && entry.Blobs[name] == "" {
			continue
		}
		edits = append(edits, record.Edit{Path: path.Join(folder, name), Data: hide(data), Delete: data == nil})
	}
	return edits, "", nil
}

// changeMessage is the commit message for changes: subject, one trailer a plan, and the mark that keeps CI away where
// the configuration asks for it.
func changeMessage(cfg *config.Config, changes []Change) string {
	var list []record.Change
	var trailers []string
	for _, c := range changes {
		rc := record.Change{Key: c.Key}
		if len(c.Steps) > 0 {
			rc.Steps = append([]plans.Status{c.From}, c.Steps...)
			trailers = append(trailers, record.Trailer(rc.Key, rc.Steps))
		}
		list = append(list, rc)
	}
	subject := record.Subject(list)
	if cfg.CI.Skip {
		subject += " [skip ci]"
	}
	if len(trailers) == 0 {
		return subject + "\n"
	}
	return subject + "\n\n" + strings.Join(trailers, "\n") + "\n"
}

// boardEdit is the board after the changes; none where it would stay as it is.
func boardEdit(dir string, set *plans.Set, effective map[plans.Key]gate.Effective, changes []Change, notes map[plans.Key]string, existing []byte) ([]record.Edit, error) {
	changed := map[plans.Key]Change{}
	for _, c := range changes {
		changed[c.Key] = c
	}
	rows := boardRows(set, effective, changed, notes)
	board, err := plans.Board(rows, existing)
	if err != nil {
		return nil, fmt.Errorf("board %s/%s: %w", dir, plans.BoardFile, err)
	}
	if string(board) == string(existing) {
		return nil, nil
	}
	return []record.Edit{{Path: path.Join(dir, plans.BoardFile), Data: board}}, nil
}

// boardRows lists the plans as the board shows them, with the changes made.
func boardRows(set *plans.Set, effective map[plans.Key]gate.Effective, changed map[plans.Key]Change, notes map[plans.Key]string) []plans.BoardRow {
	rows := make([]plans.BoardRow, 0, len(set.Entries))
	for _, e := range set.Entries {
		row := plans.BoardRow{Key: e.Key, Title: string(e.Key), Note: notes[e.Key]}
		if e.Plan != nil {
			row.Title, row.Status = e.Plan.Title, effective[e.Key].Status
		}
		if e.Err != nil {
			row.Note = "cannot be read: " + firstLine(e.Err.Error())
		}
		rec := e.Record
		if c, ok := changed[e.Key]; ok {
			if n := len(c.Steps); n > 0 {
				row.Status = c.Steps[n-1]
			}
			if c.Record != nil {
				rec = c.Record
			}
		}
		if row.Note == "" && rec != nil && row.Status == plans.Failed {
			row.Note = joinNonEmpty(": ", string(rec.Reason), rec.Detail)
		}
		rows = append(rows, row)
	}
	return rows
}

// boardNotes are the refusals, and the steps that did not count, as the board shows them beside their plans.
func boardNotes(snap *snapshot, all []decided) map[plans.Key]string {
	notes := map[plans.Key]string{}
	for _, one := range all {
		if ignored, ok := snap.effective[one.entry.Key].Ignored(); ok {
			notes[one.entry.Key] = fmt.Sprintf("%s by %s does not count: %s", ignored.To, ignored.Author, ignored.Why)
		}
		if one.facts.Refusal != "" {
			notes[one.entry.Key] = "refused: " + one.facts.Refusal
		}
	}
	return notes
}
