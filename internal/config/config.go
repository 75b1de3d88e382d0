package config

// Config is how Tendril works in one repository: design, section 11. Zero values of pointers mean "not set".
type Config struct {
	// Branch is the plans branch. It counts only in the machine's file and on the default branch: see PlansBranch.
	Branch string `yaml:"branch"`
	// Plans is the folder of the plans on that branch, slash-separated.
	Plans string `yaml:"plans"`
	// Worktrees is where worktrees are made, a template over {{.Repo}}, relative to the main worktree.
	Worktrees string `yaml:"worktrees"`
	// Agent works on plans that name none: "claude", "claude:opus". Empty: each plan must name one.
	Agent string `yaml:"agent"`
	// Autonomy is what agents may do: AutonomyEdit or AutonomyFull.
	Autonomy string `yaml:"autonomy"`
	// Parallel is how many plans run at once, ReviewLimit how many may wait for review before nothing new starts,
	// MaxAttempts how many agent runs a round has.
	Parallel    int `yaml:"parallel"`
	ReviewLimit int `yaml:"review_limit"`
	MaxAttempts int `yaml:"max_attempts"`
	// TimeLimit ends one agent run; Stall ends one that shows neither output nor a working process for so long.
	TimeLimit Duration `yaml:"time_limit"`
	Stall     Duration `yaml:"stall"`
	// Budget is for one plan, BudgetPerDay for all plans of a day, in USD.
	Budget       *float64 `yaml:"budget"`
	BudgetPerDay *float64 `yaml:"budget_per_day"`
	// Approvals says who may pass a gate.
	Approvals Approvals `yaml:"approvals"`
	// Deliver is DeliverMerge, DeliverPR or DeliverPush; Merge is MergeCommit, MergeSquash or MergeRebase.
	Deliver string `yaml:"deliver"`
	Merge   string `yaml:"merge"`
	// Sync is the remote whose plans branch is the truth; empty: this clone's.
	Sync string `yaml:"sync"`
	// Take is TakeMine or TakeAll: whose approvals this clone works on, with Sync.
	Take string `yaml:"take"`
	// Sandbox is the wall around agents.
	Sandbox Sandbox `yaml:"sandbox"`
	// Env, Copy, Share, Setup and Teardown make a worktree usable: design, section 6. Env's values are templates.
	Env      map[string]string `yaml:"env"`
	Copy     []string          `yaml:"copy"`
	Share    []string          `yaml:"share"`
	Setup    []string          `yaml:"setup"`
	Teardown []string          `yaml:"teardown"`
	// Checks prove a plan's work, in this order.
	Checks []Check `yaml:"checks"`
	// Base is the branch that work starts from and goes back to; empty: the default branch.
	Base string `yaml:"base"`
	// SetupLimit bounds making a worktree and its setup commands, CheckTimeout a check that names no limit.
	SetupLimit   Duration `yaml:"setup_limit"`
	CheckTimeout Duration `yaml:"check_timeout"`
	// Agents are settings per agent, by its name.
	Agents map[string]AgentSettings `yaml:"agents"`
	// PassEnv names variables that reach agents although they look like a secret of something else; * stands for any
	// letters.
	PassEnv []string `yaml:"pass_env"`
	// MemoryLimit is how much of the notes a prompt gets.
	MemoryLimit Tokens `yaml:"memory_limit"`
	// Prices go before the built-in table, by model.
	Prices map[string]Price `yaml:"prices"`
	// Runner is how this clone signs its claims; Load fills in the host's name.
	Runner string `yaml:"runner"`
	// PR shapes pull requests.
	PR PullRequest `yaml:"pr"`
	// Notify is a command that gets each event as JSON on its standard input.
	Notify string `yaml:"notify"`
	// Identity is who Tendril's own commits are by.
	Identity Identity `yaml:"identity"`
	// CI is about the forge's runs.
	CI CI `yaml:"ci"`

	// commands are those of the repository's own file; a machine's file over it is its owner's and needs no trust.
	commands []Command
}

// What Autonomy, Deliver, Merge, Take and Sandbox.Mode may be.
const (
	AutonomyEdit = "edit" // the agent may change files, not run commands
	AutonomyFull = "full"

	DeliverMerge = "merge"
	DeliverPR    = "pr"
	DeliverPush  = "push"

	MergeCommit = "merge"
	MergeSquash = "squash"
	MergeRebase = "rebase"

	TakeMine = "mine"
	TakeAll  = "all"

	SandboxAuto = "auto"
	SandboxOff  = "off"
)

// Approvals says whose commits pass a gate.
type Approvals struct {
	// Approvers are email addresses, or "Name <email>"; empty: anybody but Tendril and agents.
	Approvers []string `yaml:"approvers"`
	// Signed asks for a commit signature of the author's.
	Signed bool `yaml:"signed"`
}

// Sandbox is the wall around agents: its mode, and folders that agents may write to besides.
type Sandbox struct {
	Mode   string   `yaml:"mode"`
	Writes []string `yaml:"writes"`
}

// Check is one command that proves something about the work.
type Check struct {
	// Name is unique among the checks; Run is read by bash (cmd on Windows).
	Name string `yaml:"name"`
	Run  string `yaml:"run"`
	// Required is true where it is not set: see IsRequired.
	Required *bool `yaml:"required"`
	// Fix lets the check change files: what it changes is committed.
	Fix bool `yaml:"fix"`
	// Timeout is zero where Config.CheckTimeout holds.
	Timeout Duration `yaml:"timeout"`
	// Parallel checks that follow each other run at the same time.
	Parallel bool `yaml:"parallel"`
	// Dir is where it runs, below the top, slash-separated; Env is added to its environment.
	Dir string            `yaml:"dir"`
	Env map[string]string `yaml:"env"`
	// When names the paths (as in a plan's scope) of which one must be changed, else the check is skipped.
	When []string `yaml:"when"`
	// Clean names ignored files and folders (as in a plan's scope, from the top) that are removed before it runs.
	Clean []string `yaml:"clean"`
	// Report is a glob, from the top, of the reports that it writes (JUnit XML, SARIF, go test -json), or "-" for its output.
	Report string `yaml:"report"`
	// Flaky is how often it is run again at most when it fails.
	Flaky int `yaml:"flaky"`
}

// ReportOutput is the Report of a check whose output is the report.
const ReportOutput = "-"

// IsRequired reports whether a failure of the check fails the attempt.
func (c Check) IsRequired() bool { return c.Required == nil || *c.Required }

// AgentSettings changes how one agent is used.
type AgentSettings struct {
	// Parallel is how many runs of it there are at once; zero: as many as Config.Parallel.
	Parallel int `yaml:"parallel"`
	// Profile is deep, balanced or quick; Model and Effort go before what it names.
	Profile string `yaml:"profile"`
	Model   string `yaml:"model"`
	Effort  string `yaml:"effort"`
	// Args are added to its command line.
	Args []string `yaml:"args"`
}

// Price is what a million tokens of a model cost, in USD; nil is unknown.
type Price struct {
	Input      *float64 `yaml:"input"`
	Output     *float64 `yaml:"output"`
	CacheRead  *float64 `yaml:"cache_read"`
	CacheWrite *float64 `yaml:"cache_write"`
}

// PullRequest shapes the pull requests of Deliver "pr".
type PullRequest struct {
	Draft     bool     `yaml:"draft"`
	Labels    []string `yaml:"labels"`
	Reviewers []string `yaml:"reviewers"`
	// DraftWith is the agent that the unit CreatePr writes title and body with; empty: they come from the plan.
	DraftWith string `yaml:"draft_with"`
}

// Identity is a name and an email address.
type Identity struct {
	Name  string `yaml:"name"`
	Email string `yaml:"email"`
}

// CI is about the forge's runs.
type CI struct {
	// Skip marks Tendril's own commits with [skip ci].
	Skip bool `yaml:"skip"`
}
