package gate

import (
	"context"
	"fmt"
	"path"
	"strings"

	"tendril/internal/git"
	"tendril/plans"
)

// AcceptsTrailer is the trailer of a commit that accepts: "Tendril-Accepts: HEAD" where it accepts one plan,
// "Tendril-Accepts: KEY HEAD" for each plan where it accepts several.
const AcceptsTrailer = "Tendril-Accepts"

// Accepts is the trailer line for a commit that accepts heads, one line per plan; keys and heads go together.
func Accepts(keys []plans.Key, heads []string) []string {
	if len(keys) == 1 && len(heads) == 1 {
		return []string{AcceptsTrailer + ": " + heads[0]}
	}
	var out []string
	for i := range min(len(keys), len(heads)) {
		out = append(out, fmt.Sprintf("%s: %s %s", AcceptsTrailer, keys[i], heads[i]))
	}
	return out
}

// acceptedHead is the head that the gate commit accepts: by its trailer, else by the record in its own tree.
func acceptedHead(ctx context.Context, repo *git.Repo, leaf commit, p *plans.Plan) (string, error) {
	out, err := repo.Do(ctx, plain("log", "-1", "--no-walk", "--no-show-signature",
		"--format=%(trailers:key="+AcceptsTrailer+",valueonly=true,unfold=true,separator=%x00)", leaf.id))
	if err != nil {
		return "", fmt.Errorf("read the trailers of %s: %w", short(leaf.id), err)
	}
	head, refusal := pickHead(strings.Split(strings.TrimSuffix(string(out), "\n"), "\x00"), p.Key, repo.Format)
	if refusal != nil {
		refusal.Commit, refusal.Hint = leaf.id, hint(gateTwo.again, p)
		return "", refusal
	}
	if head != "" {
		return head, nil
	}
	return recordedHead(ctx, repo, leaf.id, p)
}

// pickHead finds the head for key among the values of the trailer; it is empty when none is meant for it. A value that
// names the key goes before one that names none.
func pickHead(values []string, key plans.Key, format string) (string, *Refusal) {
	bare, keyed := map[string]bool{}, map[string]bool{}
	for _, v := range values {
		f := strings.Fields(v)
		switch {
		case len(f) == 0:
		case len(f) == 1:
			bare[strings.ToLower(f[0])] = true
		case len(f) == 2 && f[0] == string(key):
			keyed[strings.ToLower(f[1])] = true
		case len(f) == 2:
			// Another plan of the same commit.
		default:
			return "", &Refusal{Why: fmt.Sprintf("the trailer %s: %.100s is neither HEAD nor KEY HEAD", AcceptsTrailer, v)}
		}
	}
	heads := keyed
	if len(heads) == 0 {
		heads = bare
	}
	if len(heads) > 1 {
		return "", &Refusal{Why: fmt.Sprintf("the commit accepts %d different heads for this plan", len(heads))}
	}
	for head := range heads {
		if !isID(head, format) {
			return "", &Refusal{Why: fmt.Sprintf("the trailer %s: %.100s does not hold a full commit id", AcceptsTrailer, head)}
		}
		return head, nil
	}
	return "", nil
}

// recordedHead is the head in the plan's record.yaml of a commit.
func recordedHead(ctx context.Context, repo *git.Repo, commit string, p *plans.Plan) (string, error) {
	file := path.Join(path.Dir(p.Path), "record.yaml")
	data, ok, err := readFile(ctx, repo, commit, file)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", &Refusal{
			Commit: commit, Why: "there is no " + file + ", so that nobody can tell which head was accepted", Hint: hint(gateTwo.again, p),
		}
	}
	rec, err := plans.ParseRecord(file, data)
	switch {
	case err != nil:
		return "", &Refusal{Commit: commit, Why: firstLine(err)}
	case rec.Key != p.Key:
		return "", &Refusal{Commit: commit, Why: fmt.Sprintf("%s is the record of %s", file, rec.Key)}
	case rec.Head == "":
		return "", &Refusal{Commit: commit, Why: file + " names no head that was verified"}
	}
	return rec.Head, nil
}
