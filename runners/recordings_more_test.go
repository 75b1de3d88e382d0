package runners

import "testing"

func TestRecordingsOfGemini(t *testing.T) {
	t.Parallel()
	// Its protocol tells of no cache that was written.
	both, first, nothing := tokens(2406, 8103, -1, 63, 100), tokens(2102, 3001, -1, 41, 70), tokens(0, 0, -1, 0, 0)
	const model = "gemini-2.5-pro"
	for _, c := range []recorded{
		{file: "ok", want: Outcome{
			// The words come in pieces.
			Result: OK, Session: "3e7084d6-d8b2-4eee-9678-bb515dffac71", Model: model, Text: "Done: hello.txt created.", Usage: both,
		}},
		{file: "resume", session: "3e7084d6-d8b2-4eee-9678-bb515dffac71", want: Outcome{
			Result: OK, Session: "3e7084d6-d8b2-4eee-9678-bb515dffac71", Model: model, Text: "Plain answer, no tool used.", Usage: first,
		}},
		{file: "denied", want: Outcome{
			// The tools were not offered: nothing was refused.
			Result: OK, Session: "64096116-a147-47b4-b1d3-05de9ce61bd0", Model: model, Text: "No usable tool offered.", Usage: first,
		}},
		{file: "401", exit: 145, kind: KindLogin, message: "invalid x-api-key", want: Outcome{
			Result: Failed, Session: "b1fa41f5-abfc-4fc2-b23c-c54bc381d036", Model: model, Usage: nothing,
		}},
		{file: "503-180", exit: 247, kind: KindOverload, message: "overloaded", want: Outcome{
			Result: Failed, Session: "d3062ff7-7580-4ad1-bd50-5a72db7cc6a2", Model: model, Usage: nothing,
		}},
		{file: "429", exit: -1, signal: "SIGKILL", kind: KindLimit, message: "failed with status 429", want: Outcome{
			// Ended while it tried again: stderr says why.
			Result: Failed, Session: "742f7576-d446-4476-a488-fd06f37dd7b9", Model: model,
		}},
		{file: "503", exit: -1, signal: "SIGKILL", kind: KindOverload, message: "failed with status 503", want: Outcome{
			Result: Failed, Session: "18834cc2-914a-491d-836e-4ae6e058be14", Model: model,
		}},
		{file: "quota", exit: -1, signal: "SIGKILL", kind: KindLimit, message: "failed with status 429", want: Outcome{
			Result: Failed, Session: "5f1e4545-0653-48d5-b828-72bd7d9b6041", Model: model,
		}},
		{file: "norelaunch-sigterm", exit: 0, kind: KindOther, message: "exit code 0 without a result", want: Outcome{
			Result: Failed, Session: "3c3cdf74-23c2-4cc5-b890-cd2a693c637f", Model: model,
		}},
		{file: "untrusted", exit: 55, kind: KindOther, message: "not running in a trusted directory", want: Outcome{
			Result: Failed, Model: "asked-for",
		}},
		{file: "resume-unknown", exit: 42, session: "11111111-1111-4111-8111-111111111111", kind: KindSession, message: "Error resuming session", want: Outcome{
			Result: Failed, Model: "asked-for",
		}},
	} {
		t.Run(c.file, func(t *testing.T) { t.Parallel(); c.check(t, "gemini") })
	}
}

func TestRecordingsOfCopilot(t *testing.T) {
	t.Parallel()
	// What it used is in a file, which only the first of these recordings has.
	none := tokens(0, 0, 0, 0, 0)
	first, both := tokens(203, 8103, 2203, 63, 100), tokens(410, 24610, 3310, 132, 219)
	for _, c := range []recorded{
		{file: "usage-resumed", session: "c4023993-f731-54f0-ae32-6a9d30abe5d2", before: &first, want: Outcome{
			// The file counts over the whole session: the run before is taken off.
			Result: OK, Session: "c4023993-f731-54f0-ae32-6a9d30abe5d2", Model: "scripted", Text: "Now it greets.",
			Usage: tokens(207, 16507, 1107, 69, 119), SessionUsage: &both,
		}},
		{file: "ok", want: Outcome{Result: OK, Session: "98bcb557-26a8-4b1d-8c6e-f74e471b762a", Text: "Done: hello.txt created."}},
		{file: "resume", session: "98bcb557-26a8-4b1d-8c6e-f74e471b762a", before: &none, want: Outcome{
			Result: OK, Session: "98bcb557-26a8-4b1d-8c6e-f74e471b762a", Text: "Plain answer, no tool used.",
		}},
		{file: "session-id", want: Outcome{Result: OK, Session: "33333333-3333-4333-8333-333333333333", Text: "Done: hello.txt created."}},
		{file: "denied", want: Outcome{
			Result: OK, Session: "59cdf7f0-609c-4d1f-9697-3648d1623d2d", Text: "I could not create hello.txt: the tool was refused.",
			Denied: []string{"create"},
		}},
		{file: "401", exit: 1, kind: KindLogin, message: "Authentication failed with provider", want: Outcome{
			Result: Failed, Session: "264df095-c202-498d-8832-e8e3ec1fd98b",
		}},
		{file: "429", exit: 1, kind: KindLimit, message: "429 Rate limit reached", want: Outcome{
			Result: Failed, Session: "7c9ce037-dc9f-4eed-9b59-6dbe7762156f",
		}},
		{file: "503", exit: 1, kind: KindOverload, message: "503 The model is overloaded", want: Outcome{
			Result: Failed, Session: "ed86322a-f545-4f41-8b3b-9bdf80259788",
		}},
		{file: "ctx", exit: 1, kind: KindContext, message: "prompt as too long", want: Outcome{
			Result: Failed, Session: "cb640402-26cb-4616-8509-3ca768ba2be2",
		}},
		{file: "no-auth", exit: 1, kind: KindLogin, message: "No authentication information", want: Outcome{Result: Failed}},
		{file: "resume-unknown", exit: 1, session: "11111111-1111-4111-8111-111111111111", before: &none, kind: KindSession, message: "No session, task, or name matched", want: Outcome{
			Result: Failed,
		}},
		// Interrupted by somebody else, it ends with exit code 0, and once even with a result that says so.
		{file: "direct-sigint-sleep", exit: 0, kind: KindOther, message: "aborted", want: Outcome{
			Result: Failed, Session: "64892cb3-366f-45de-a411-cfeecd8a84a2",
		}},
		{file: "direct-sigterm-sleep", exit: 0, kind: KindOther, message: "aborted", want: Outcome{Result: Failed, Session: sessionOf("")}},
	} {
		if c.want.Model == "" {
			c.want.Model, c.want.SessionUsage = "asked-for", &none
		}
		t.Run(c.file, func(t *testing.T) { t.Parallel(); c.check(t, "copilot") })
	}
}

func TestRecordingsOfOpencode(t *testing.T) {
	t.Parallel()
	one, two := 0.0035121, 0.0013342
	first := tokens(2102, 3001, 0, 41, 70).costing(one)
	for _, c := range []recorded{
		{file: "ok", want: Outcome{
			Result: OK, Session: "ses_dd373bf56ffeN97eBZ5uB7Lgf2", Text: "Done: hello.txt created.",
			Usage: tokens(2406, 8103, 0, 63, 100).costing(one + two),
		}},
		{file: "resume", session: "ses_dd373bf56ffeN97eBZ5uB7Lgf2", want: Outcome{
			Result: OK, Session: "ses_dd373bf56ffeN97eBZ5uB7Lgf2", Text: "Plain answer, no tool used.", Usage: first,
		}},
		{file: "denied-deny", want: Outcome{
			Result: OK, Session: "ses_dd36f9f9bffe61yLMxv9ywl9aT", Text: "No usable tool offered.", Usage: first,
		}},
		{file: "denied-ask", kind: KindOther, message: "exit code 0 without a result", want: Outcome{
			// The refusal ends the run, whatever its exit code says.
			Result: Failed, Session: "ses_dd3700919ffeatFjb00Mp7C5be", Denied: []string{"write"}, Usage: first,
		}},
		{file: "401", exit: 1, kind: KindLogin, message: "invalid x-api-key", want: Outcome{Result: Failed, Session: "ses_dd3730b2bffeZJMcyFncS9h5vx"}},
		{file: "429", exit: 1, kind: KindLimit, message: "Rate limit reached", want: Outcome{Result: Failed, Session: "ses_dd3669eb1ffeU9RLrgglyzMeYm"}},
		{file: "503", exit: 1, kind: KindOverload, message: "overloaded", want: Outcome{Result: Failed, Session: "ses_dd3714571ffecibSmasEwrrfJZ"}},
		{file: "no-model", exit: 1, kind: KindOther, message: "Unexpected server error", want: Outcome{Result: Failed, Session: "ses_dd36bd54affeKnyEkL13hLfXDX"}},
		{file: "resume-unknown", exit: 1, session: "ses_unknown", kind: KindSession, message: "session not found", want: Outcome{Result: Failed}},
		{file: "cut", exit: -1, signal: "SIGKILL", kind: KindOther, message: "ended by SIGKILL without a result", want: Outcome{Result: Failed}},
		{file: "sigterm-sleep", exit: -1, signal: "SIGTERM", kind: KindOther, message: "ended by SIGTERM without a result", want: Outcome{
			Result: Failed, Session: "ses_dd3669ad7ffeTVDtTM5k50eWAl",
		}},
	} {
		c.want.Model = "asked-for" // it names no model
		t.Run(c.file, func(t *testing.T) { t.Parallel(); c.check(t, "opencode") })
	}
}
