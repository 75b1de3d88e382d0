package runners

import "strings"

// claudeRecordings: the input is without the caches, the output with the reasoning; the cost is its own, 5 dollars a million of
// input, 25 of output, 0.5 read from and 6.25 written to a cache.
func claudeRecordings() []recorded {
	const opus = "claude-opus-4-8[1m]"
	both, first := tokens(203, 8103, 2203, 63, -1).costing(0.02041025), tokens(101, 3001, 2001, 41, -1).costing(0.015536750000000002)
	nothing := tokens(0, 0, 0, 0, -1).costing(0)
	wrote := []string{"Write /repo/hello.txt"}
	ok := func(file, session string) recorded {
		return recorded{
			file: file, texts: []string{begins, done}, tools: wrote,
			want: Outcome{Result: OK, Session: session, Model: opus, Text: done, Usage: both},
		}
	}
	// failed ended with a result that is an error, before any model answered.
	failed := func(file, session string, kind ErrorKind, message string) recorded {
		return recorded{
			file: file, exit: 1, kind: kind, message: message,
			want: Outcome{Result: Failed, Session: session, Model: opus, Text: message, Usage: nothing},
		}
	}
	// cut ended with no result: what it used is unknown.
	cut := func(file, session string, kind ErrorKind, message string) recorded {
		return recorded{
			file: file, exit: -1, signal: "SIGKILL", kind: kind, message: message,
			want: Outcome{Result: Failed, Session: session, Model: opus},
		}
	}
	// never wrote nothing on stdout.
	never := func(file, message string) recorded {
		return recorded{file: file, exit: 1, kind: KindOther, message: message, want: Outcome{Result: Failed, Model: "asked-for"}}
	}
	gone := func(file, session string) recorded {
		// The session is not there: the next run begins a fresh one.
		said := "No conversation found with session ID: " + session
		return recorded{
			file: file, exit: 1, session: session, kind: KindSession, message: said,
			want: Outcome{Result: Failed, Model: "asked-for", Text: said, Usage: nothing},
		}
	}
	stopped := func(c recorded, texts, tools []string) recorded {
		c.stopped, c.texts, c.tools = true, texts, tools
		return c
	}
	const overloaded = "API Error: Repeated 529 Overloaded errors. The API is at capacity — this is usually temporary. Try again in a moment. If it persists, check your inference gateway (127.0.0.1:8399)."
	rows := []recorded{
		ok("ok", "3cc44fbe-03cf-4667-8546-0c08eb8cfbce"),
		ok("argv-120k", "60c20124-9bc5-483d-9319-4c059b483d14"),
		ok("argv-and-stdin", "4d3a7ba3-7397-4abd-b0fa-789319b578f7"),
		ok("session-id", "22222222-2222-4222-8222-222222222222"),
		ok("stdin-hold", "1dce9ef6-b649-4c1b-b47a-63af9b9f60d8"),
		ok("stdin-long", "c13b04be-e978-4562-b3e8-7ee00be5a26a"),
		ok("stdin-short", "9b4fe63d-e982-4890-bb9c-1eff480fe5ac"),
		ok("streamin", "67cf0117-07ea-4a70-9c2f-cf473fcd7c9f"),
		failed("401-noretry", "3a144e33-2e29-4579-8088-d0a7964bd9ca", KindLogin, "Invalid API key · Fix external API key"),
		failed("401", "32734517-44c1-4296-918b-00189c3d96c8", KindLogin, "Invalid API key · Fix external API key"),
		failed("403", "bb6ee61b-34c1-4d1c-896f-d222c0738396", KindLogin, "Failed to authenticate. API Error: 403 not allowed"),
		failed("429", "d2adf3c6-32bf-48ff-ad84-90eec47c0ca3", KindLimit, "API Error: Request rejected (429) · Rate limit reached (fakellm)"),
		failed("529", "41b774ba-4728-4042-a9d1-0422fcfe6da5", KindOverload, overloaded),
		failed("prompt-scenario", "072f3567-d7be-425d-8a51-49df31474a2f", KindOverload, overloaded),
		failed("no-key", "e70e7ca6-1a87-48f4-b804-b4fa4b9f6a67", KindLogin, "Not logged in · Please run /login"),
		cut("429ra", "26db92cd-fd5e-449a-8857-600430f55156", KindLimit, "rate_limit, try 7 of 10"),
		cut("500", "352e08a8-ea66-4d1e-a962-a828f536cdb2", KindOverload, "server_error, try 6 of 10"),
		cut("hang", "9a801a4e-1910-47e2-9dd2-1f041c3ed0cf", KindOther, "ended by SIGKILL without a result"),
		stopped(cut("sigkill-group", "ed903ecb-c4aa-4eb5-8821-111a213b8f96", KindOther, "SIGKILL"), []string{begins}, []string{"Bash tail -f /dev/null"}),
		stopped(cut("sigkill-sleep", "383700dd-442e-40a6-b2e5-eef321088cd1", KindOther, "SIGKILL"), []string{begins}, []string{"Bash sleep 300"}),
		never("bad-flag", "(Did you mean --name?)"),
		never("bypass-root", "cannot be used with root/sudo privileges"),
		never("no-verbose", "requires --verbose"),
		gone("resume-unknown", "11111111-1111-4111-8111-111111111111"),
		gone("resume-othercwd", "3cc44fbe-03cf-4667-8546-0c08eb8cfbce"),
		// It says that it is done, and that is all that it can know: it was stopped.
		stopped(ok("sigterm-sleep", "61d721c5-01a8-465e-8a40-cfb555891a96"), []string{begins, done}, []string{"Bash sleep 300"}),
		stopped(ok("sigterm-tail", "c83123e2-4465-4376-8f1d-d94728e734d1"), []string{begins, done}, []string{"Bash tail -f /dev/null"}),
	}
	answer := strings.Repeat("0123456789 abcdefgh\n", 15_000)
	refused := []string{begins, "I could not create hello.txt: the tool was refused."}
	return append(rows, []recorded{
		{file: "resume", session: "3cc44fbe-03cf-4667-8546-0c08eb8cfbce", texts: []string{plain}, want: Outcome{
			// Resumed: the run's own figures, the earlier run's are not in them.
			Result: OK, Session: "3cc44fbe-03cf-4667-8546-0c08eb8cfbce", Model: "claude-opus-4-8", Text: plain, Usage: first,
		}},
		{file: "bypass-sandbox", texts: []string{begins, done}, tools: []string{`Bash printf 'hello from fakellm\n' > hello.txt`}, want: Outcome{
			Result: OK, Session: "1ce9ffe8-1187-42b1-8514-4f280cae62d1", Model: opus, Text: done, Usage: both,
		}},
		{file: "unknown-model", texts: []string{begins, done}, tools: wrote, want: Outcome{
			// Priced by the program as if it were opus.
			Result: OK, Session: "f648773b-97c5-4515-bb9e-2b1c938a6293", Model: "my-model-1", Text: done, Usage: both,
		}},
		{file: "big", texts: []string{answer}, want: Outcome{
			// Two lines of 316 KB: 15,000 lines of 20 characters in each.
			Result: OK, Session: "bccaeaf3-0c17-4895-81bd-10b08fb285a6", Model: opus, Text: clip(strings.TrimSpace(answer), maxText), Usage: first,
		}},
		{file: "json", want: Outcome{
			// The result alone.
			Result: OK, Session: "08a4f76c-6fe7-4ad0-aefa-73e13483ade7", Model: opus, Text: done, Usage: both,
		}},
		{file: "text", kind: KindOther, message: "exit code 0 without a result: " + done, want: Outcome{
			// No line that says how it ended.
			Result: Failed, Session: sessionOf(""), Model: "asked-for",
		}},
		{file: "ctx", exit: 1, kind: KindContext, message: "Prompt is too long", want: Outcome{
			Result: Failed, Session: "e1d5cbfe-0257-4d08-b783-8a987ef176e6", Model: opus, Usage: nothing,
		}},
		{
			file: "maxturns", exit: 1, kind: KindOther, message: "Reached maximum number of turns (3)",
			texts: []string{begins, begins, begins}, tools: []string{"Bash echo loop 1", "Bash echo loop 2", "Bash echo loop 3"},
			want: Outcome{
				Result: Failed, Session: "91874fad-e58d-4485-874b-9736171b8790", Model: opus, Text: "Reached maximum number of turns (3)",
				Usage: tokens(305, 13205, 2405, 85, -1).costing(0.02528375),
			},
		},
		{file: "denied-default", texts: refused, tools: wrote, want: Outcome{
			// Refused a tool, and ends as if all were well.
			Result: OK, Session: "d18e7208-741f-4e8c-9ca3-fccd68d41f01", Model: opus, Text: refused[1], Denied: []string{"Write"}, Usage: both,
		}},
		{file: "dontask", texts: refused, tools: wrote, want: Outcome{
			Result: OK, Session: "5bcdd953-d4dd-4a64-9707-7724d283afeb", Model: opus, Text: refused[1], Denied: []string{"Write"}, Usage: both,
		}},
		{
			file: "sigint-sleep", exit: 0, kind: KindOther, message: "ede_diagnostic", stopped: true,
			texts: []string{begins}, tools: []string{"Bash sleep 300"},
			// Interrupted: exit 0, subtype aside, and not done.
			want: Outcome{Result: Failed, Session: "289eb532-df26-4b7c-94d9-c001d4e25fb4", Model: opus, Usage: first},
		},
		{file: "sigterm-slow", exit: 143, kind: KindOther, message: "exit code 143 without a result", stopped: true, want: Outcome{
			Result: Failed, Session: "15571092-2f07-4b00-9ccf-a78a6ae9f9c5", Model: opus,
		}},
	}...)
}
