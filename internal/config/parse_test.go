package config

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// everyKey holds every key of design section 11, each with a value that is not its default.
const everyKey = `
branch: tendril/plans
plans: docs/plans
worktrees: "/srv/{{.Repo}}-trees"
agent: claude:opus
autonomy: full
parallel: 5
review_limit: 4
max_attempts: 2
time_limit: 1h
stall: 10m
budget: 5
budget_per_day: 50.5
approvals: {approvers: [pat@example.com], signed: true}
deliver: pr
merge: squash
sync: origin
take: all
sandbox: {mode: off, writes: [~/.cache]}
env: {DATABASE_URL: "postgres://localhost/app_{{.Slot}}", PORT: "{{port 1}}"}
copy: [.env, .env.local]
share: [node_modules]
setup: [npm ci --prefer-offline]
teardown: ["dropdb app_$TENDRIL_SLOT"]
checks:
  - {name: test, run: go test ./..., timeout: 10m}
  - {name: lint, run: golangci-lint run, required: false}
  - {name: format, run: gofmt -w ., fix: true}
  - {name: web, run: npm test, parallel: true, dir: web, env: {TZ: UTC}, when: [web/**], clean: [web/dist], report: web/junit.xml, flaky: 2}
base: develop
setup_limit: 5m
check_timeout: 90s
agents: {claude: {parallel: 2, profile: deep, model: , effort: high, args: [--x, "a b"]}}
pass_env: [NPM_TOKEN, AWS_*]
memory_limit: 4k
prices: {opus: {input: 15, output: 75, cache_read: 1.5}}
runner: build-7
pr: {draft: true, labels: [agent], reviewers: [pat], draft_with: claude}
notify: notify-send tendril
identity: {name: Robo, email: robo@example.com}
ci: {skip: true}
`

func ptr[T any](v T) *T { return &v }

func TestParseEveryKey(t *testing.T) {
	t.Parallel()
	got, err := Parse("c.yaml", []byte(everyKey))
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Branch: "tendril/plans", Plans: "docs/plans", Worktrees: "/srv/{{.Repo}}-trees", Agent: "claude:opus", Autonomy: "full",
		Parallel: 5, ReviewLimit: 4, MaxAttempts: 2, TimeLimit: Duration(time.Hour), Stall: Duration(10 * time.Minute),
		Budget: ptr(5.0), BudgetPerDay: ptr(50.5), Approvals: Approvals{Approvers: []string{"pat@example.com"}, Signed: true},
		Deliver: "pr", Merge: "squash", Sync: "origin", Take: "all", Sandbox: Sandbox{Mode: "off", Writes: []string{"~/.cache"}},
		Env:  map[string]string{"DATABASE_URL": "postgres://localhost/app_{{.Slot}}", "PORT": "{{port 1}}"},
		Copy: []string{".env", ".env.local"}, Share: []string{"node_modules"}, Setup: []string{"npm ci --prefer-offline"},
		Teardown: []string{"dropdb app_$TENDRIL_SLOT"},
		Checks: []Check{
			{Name: "test", Run: "go test ./...", Timeout: Duration(10 * time.Minute)},
			{Name: "lint", Run: "golangci-lint run", Required: ptr(false)},
			{Name: "format", Run: "gofmt -w .", Fix: true},
			{
				Name: "web", Run: "npm test", Parallel: true, Dir: "web", Env: map[string]string{"TZ": "UTC"}, When: []string{"web/**"},
				Clean: []string{"web/dist"}, Report: "web/junit.xml", Flaky: 2,
			},
		},
		Base: "develop", SetupLimit: Duration(5 * time.Minute), CheckTimeout: Duration(90 * time.Second),
		Agents:  map[string]AgentSettings{"claude": {Parallel: 2, Profile: "deep", Effort: "high", Args: []string{"--x", "a b"}}},
		PassEnv: []string{"NPM_TOKEN", "AWS_*"}, MemoryLimit: 4000,
		Prices: map[string]Price{"opus": {Input: ptr(15.0), Output: ptr(75.0), CacheRead: ptr(1.5)}}, Runner: "build-7",
		PR:     PullRequest{Draft: true, Labels: []string{"agent"}, Reviewers: []string{"pat"}, DraftWith: "claude"},
		Notify: "notify-send tendril", Identity: Identity{Name: "Robo", Email: "robo@example.com"}, CI: CI{Skip: true},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Config{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAbsentKeysHaveTheDesignsDefaults(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"", "# nothing\n", "agent:\n", "{}"} {
		got, err := Parse("c.yaml", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		want := &Config{
			Plans: "plans", Worktrees: "../{{.Repo}}.worktrees", Autonomy: "edit", Parallel: 3, ReviewLimit: 10, MaxAttempts: 3,
			TimeLimit: Duration(2 * time.Hour), Stall: Duration(30 * time.Minute), Deliver: "merge", Merge: "merge", Take: "mine",
			Sandbox: Sandbox{Mode: "auto"}, SetupLimit: Duration(15 * time.Minute), CheckTimeout: Duration(30 * time.Minute),
			MemoryLimit: 8000, Identity: Identity{Name: "Tendril", Email: "tendril@localhost"},
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Config{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", src, diff)
		}
	}
}

func TestErrorsNameLineAndColumn(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ src, want string }{
		"unknown key":         {"agent: claude\nparalel: 3\n", "c.yaml:2:1: unknown key \"paralel\"\n  did you mean parallel?"},
		"unknown nested key":  {"approvals:\n  aprovers: []\n", "c.yaml:2:3: unknown key \"aprovers\""},
		"unknown key in list": {"checks:\n  - {name: a, run: b, folder: c}\n", "c.yaml:2:23: unknown key \"folder\""},
		"unknown in agents":   {"agents: {claude: {modell: x}}\n", "c.yaml:1:19: unknown key \"modell\""},
		"key twice":           {"parallel: 1\nagent: x\nparallel: 2\n", "c.yaml:3:1: key \"parallel\" twice\n  it stands in line 1"},
		"wrong type":          {"parallel: many\n", "c.yaml:1:11: parallel: \"many\" is not a whole number"},
		"list wanted":         {"copy: .env\n", "c.yaml:1:7: copy must be a list"},
		"mapping wanted":      {"approvals: []\n", "c.yaml:1:12: approvals must be a mapping"},
		"not a mapping":       {"- a\n", "c.yaml:1:1: the file must be a mapping"},
		"bool":                {"ci: {skip: yes}\n", "c.yaml:1:12: ci.skip must be true or false, not \"yes\""},
		"octal":               {"parallel: 010\n", "c.yaml:1:11: parallel: \"010\" is not a plain number"},
		"negative":            {"parallel: -1\n", "c.yaml:1:11: parallel: must be 1 or more, not -1"},
		"zero":                {"max_attempts: 0\n", "c.yaml:1:15: max_attempts: must be 1 or more"},
		"duration":            {"time_limit: 10\n", "c.yaml:1:13: time_limit: \"10\" is not a length of time; write it with its unit"},
		"negative duration":   {"stall: -5m\n", "c.yaml:1:8: stall: -5m is negative"},
		"no duration":         {"stall: 0s\n", "c.yaml:1:8: stall: must be longer than nothing"},
		"deliver":             {"deliver: mergee\n", "c.yaml:1:10: deliver: \"mergee\" is not possible\n  write one of: merge, pr, push"},
		"autonomy":            {"autonomy: none\n", "c.yaml:1:11: autonomy: \"none\" is not possible"},
		"sandbox":             {"sandbox: {mode: on}\n", "c.yaml:1:17: sandbox.mode: \"on\" is not possible"},
		"budget":              {"budget: 0\n", "c.yaml:1:9: budget: must be more than 0"},
		"budget nan":          {"budget: .nan\n", "c.yaml:1:9: budget: \".nan\" is not a number"},
		"check twice":         {"checks:\n- {name: a, run: b}\n- {name: a, run: c}\n", "c.yaml:3:10: checks[1].name: \"a\" is checks[0]'s name already"},
		"check without name":  {"checks: [{run: b}]\n", "c.yaml:1:10: checks[0]: a check needs a name"},
		"check without run":   {"checks: [{name: b}]\n", "c.yaml:1:10: checks[0]: a check needs a command: run"},
		"check with blank":    {"checks: [{name: b, run: ' '}]\n", "c.yaml:1:25: checks[0].run: the command is empty"},
		"check's folder":      {"checks: [{name: b, run: c, dir: ../x}]\n", "checks[0].dir: \"../x\" is not a folder within"},
		"check's variable":    {"checks: [{name: b, run: c, env: {GIT_DIR: x}}]\n", "checks[0].env.GIT_DIR: variables TENDRIL_… and GIT_…"},
		"check's clean":       {"checks: [{name: b, run: c, clean: [/../x]}]\n", "checks[0].clean[0]: \"../x\" is not a path within"},
		"check's when":        {"checks: [{name: b, run: c, when: ['a{']}]\n", "checks[0].when[0]: \"a{\" is not a glob"},
		"check's report":      {"checks: [{name: b, run: c, report: /tmp/x}]\n", "checks[0].report: \"/tmp/x\" is not a path within"},
		"check too flaky":     {"checks: [{name: b, run: c, flaky: 6}]\n", "checks[0].flaky: must be from 1 to 5, not 6"},
		"check flaky and fix": {"checks: [{name: b, run: c, flaky: 1, fix: true}]\n", "checks[0].flaky: a check that mends is not run again"},
		"check's timeout":     {"checks: [{name: b, run: c, timeout: 0s}]\n", "c.yaml:1:37: checks[0].timeout: must be longer"},
		"glob":                {"copy: ['a[']\n", "c.yaml:1:8: copy[0]: \"a[\" is not a glob"},
		"outside":             {"copy: [../x]\n", "c.yaml:1:8: copy[0]: \"../x\" is not a path within the repository"},
		"absolute":            {"share: [/etc]\n", "c.yaml:1:9: share[0]: \"/etc\" is not a path"},
		"empty entry":         {"setup: [a, ]\nteardown: [~]\n", "c.yaml:2:12: an empty entry in teardown"},
		"plans outside":       {"plans: ../p\n", "c.yaml:1:8: plans: \"../p\" is not a folder"},
		"plans in .git":       {"plans: .git/p\n", "c.yaml:1:8: plans:"},
		"branch with dash":    {"base: --upload-pack=x\n", "c.yaml:1:7: base: \"--upload-pack=x\" cannot be a name in git"},
		"template":            {"worktrees: '../{{.Owner}}'\n", "c.yaml:1:12: worktrees: \"../{{.Owner}}\": only {{.Repo}} is known here"},
		"env template":        {"env: {A: '{{port'}\n", "c.yaml:1:10: env.A:"},
		"env name":            {"env: {A-B: x}\n", "c.yaml:1:12: env.A-B: not the name of a variable"},
		"env of ours":         {"env: {TENDRIL_RUN: x}\n", "c.yaml:1:20: env.TENDRIL_RUN: variables TENDRIL_"},
		"approver":            {"approvals: {approvers: [pat]}\n", "c.yaml:1:25: approvals.approvers[0]: \"pat\" is not an email address"},
		"agent approver":      {"approvals: {approvers: [0001-x@agent.tendril.localhost]}\n", "an agent cannot approve"},
		"identity":            {"identity: {email: 'a b@c'}\n", "c.yaml:1:19: identity.email:"},
		"profile":             {"agents: {claude: {profile: slow}}\n", "c.yaml:1:28: agents.claude.profile: \"slow\" is not a profile"},
		"agent":               {"agent: 'claude:'\n", "c.yaml:1:8: agent: \"claude:\" is not an agent's name"},
		"syntax":              {"a: b\nc: d: e\n", "c.yaml:2:1: this is not YAML: mapping values are not allowed in this context"},
		"conflict":            {"a: 1\n<<<<<<< HEAD\nb: 2\n", "c.yaml:2:1: this is not YAML: could not find expected ':'"},
		"second document":     {"agent: a\n---\nagent: b\n", "c.yaml:2:1: a second document begins here"},
		"not text":            {"\xff\xfe\x00", "c.yaml:1:1:"},
		"tokens":              {"memory_limit: lots\n", "c.yaml:1:15: memory_limit: \"lots\" is not a number of tokens"},
		"prices":              {"prices: {m: {input: -1}}\n", "c.yaml:1:21: prices.m.input: must not be negative"},
		"merge key":           {"a: &a {x: 1}\n<<: *a\n", "c.yaml:2:1: unknown key \"<<\""},
		"too large":           {strings.Repeat("#", MaxBytes+1), "c.yaml:1:1: larger than"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("c.yaml", []byte(c.src))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got  %v\nwant %s", err, c.want)
			}
			var e *Error
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 {
				t.Errorf("no *Error with a place: %#v", err)
			}
		})
	}
}

func TestEveryMistakeIsTold(t *testing.T) {
	t.Parallel()
	_, err := Parse("c.yaml", []byte("take: none\nparallel: 0\n"))
	want := "c.yaml:1:7: take: \"none\" is not possible\n  write one of: mine, all\nc.yaml:2:11: parallel: must be 1 or more, not 0\n  tendril help config explains every key"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestTextFieldsKeepWhatYAMLWouldChange(t *testing.T) {
	t.Parallel()
	c, err := Parse("c.yaml", []byte("runner: 007\nenv: {A: no, B: 1e3, C: 2026-01-02, D: 0o17}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"A": "no", "B": "1e3", "C": "2026-01-02", "D": "0o17"}
	if diff := cmp.Diff(want, c.Env); diff != "" || c.Runner != "007" {
		t.Errorf("runner %q, env (-want +got):\n%s", c.Runner, diff)
	}
}

func TestOverrideMergesByKey(t *testing.T) {
	t.Parallel()
	base, err := Parse("c.yaml", []byte(everyKey))
	if err != nil {
		t.Fatal(err)
	}
	got, err := base.Override("m.yaml", []byte("parallel: 1\nagents: {claude: {parallel: 1}, codex: {effort: low}}\nenv: {PORT: '1'}\ncopy: [a]\npr: {draft: false}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := base.clone()
	want.Parallel, want.Copy, want.PR.Draft = 1, []string{"a"}, false
	want.Env["PORT"] = "1"
	want.Agents = map[string]AgentSettings{"claude": {Parallel: 1, Profile: "deep", Effort: "high", Args: []string{"--x", "a b"}}, "codex": {Effort: "low"}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Config{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if base.Parallel != 5 || base.Env["PORT"] != "{{port 1}}" || base.Agents["claude"].Parallel != 2 {
		t.Error("the base was changed")
	}
	if got.CommandsHash(nil) != base.CommandsHash(nil) {
		t.Error("a machine's own file needs no trust")
	}
	if _, err := base.Override("m.yaml", []byte("parallel: -1\n")); err == nil || !strings.Contains(err.Error(), "m.yaml:1:11") {
		t.Errorf("error: %v", err)
	}
}

func TestDurationsReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"2h": "2h", "30m": "30m", "90s": "1m30s", "1h0m0s": "1h", "100ms": "100ms", "1h5s": "1h0m5s"} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err != nil || d.String() != want {
			t.Errorf("%s: %s (%v), want %s", text, d, err, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := Duration(rapid.Int64Range(0, 1<<50).Draw(t, "d"))
		var back Duration
		if err := back.UnmarshalText([]byte(d.String())); err != nil || back != d {
			t.Fatalf("%d → %s → %d (%v)", d, d, back, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(everyKey)
	f.Add("a: &a [*a]\n")
	f.Add("a: &a [x,x,x]\nb: &b [*a,*a,*a]\ncopy: *b\n")
	f.Fuzz(func(t *testing.T, src string) {
		c, err := Parse("c.yaml", []byte(src))
		if (c == nil) == (err == nil) {
			t.Fatal("either a configuration or an error")
		}
		if err != nil && !strings.HasPrefix(err.Error(), "c.yaml:") {
			t.Fatalf("no place: %v", err)
		}
	})
}
