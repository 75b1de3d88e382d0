package runners

// copilotRecordings: what it used is in a file, which only one of these recordings has. The session's name comes with the
// last line: else it is the one that Tendril chose.
func copilotRecordings() []recorded {
	const model, refused = "fake-model", "I could not create hello.txt: the tool was refused."
	none := tokens(0, 0, 0, 0, 0)
	first, both := tokens(203, 8103, 2203, 63, 100), tokens(410, 24610, 3310, 132, 219)
	chosen := sessionOf("")
	creates, sleeps := []string{"create /repo/hello.txt"}, []string{"bash sleep 300"}
	ok := func(file, session string) recorded {
		return recorded{file: file, texts: []string{begins, done}, tools: creates, want: Outcome{
			Result: OK, Session: session, Model: model, Text: done, SessionUsage: &none,
		}}
	}
	failed := func(file, session string, kind ErrorKind, message string) recorded {
		return recorded{file: file, exit: 1, kind: kind, message: message, want: Outcome{
			Result: Failed, Session: session, Model: "asked-for", SessionUsage: &none,
		}}
	}
	stopped := func(file, session string, exit int, signal, message string) recorded {
		return recorded{
			file: file, exit: exit, signal: signal, kind: KindOther, message: message, stopped: true, texts: []string{begins}, tools: sleeps,
			want: Outcome{Result: Failed, Session: session, Model: model, SessionUsage: &none},
		}
	}
	// slow was stopped before it had said anything whole.
	slow := func(c recorded) recorded {
		c.texts, c.tools, c.want.Model = nil, nil, "asked-for"
		return c
	}
	return []recorded{
		ok("ok", "98bcb557-26a8-4b1d-8c6e-f74e471b762a"),
		ok("session-id", "33333333-3333-4333-8333-333333333333"),
		ok("argv-and-stdin", "7481ed85-2bd3-41b1-8eb4-87d13970e09a"),
		ok("stdin-hold", "861a9eb5-56ae-4921-9ceb-a535d88c872d"),
		ok("stdin-short", "6ee16a4c-e443-4e9a-b174-dbf93a919c53"),
		ok("usagefile", "fb957285-6d6a-46a1-ba52-3aad3b33b778"),
		{
			file: "usage-resumed", session: "c4023993-f731-54f0-ae32-6a9d30abe5d2", before: &first,
			texts: []string{"I forgot the greeting.", "Now it greets."}, tools: []string{"create /repo/greeting.txt"},
			want: Outcome{
				// The file counts over the whole session: the run before is taken off.
				Result: OK, Session: "c4023993-f731-54f0-ae32-6a9d30abe5d2", Model: "scripted", Text: "Now it greets.",
				Usage: tokens(207, 16507, 1107, 69, 119), SessionUsage: &both,
			},
		},
		{file: "resume", session: "98bcb557-26a8-4b1d-8c6e-f74e471b762a", before: &none, texts: []string{plain}, want: Outcome{
			Result: OK, Session: "98bcb557-26a8-4b1d-8c6e-f74e471b762a", Model: model, Text: plain, SessionUsage: &none,
		}},
		{file: "denied", texts: []string{begins, refused}, tools: creates, want: Outcome{
			Result: OK, Session: "59cdf7f0-609c-4d1f-9697-3648d1623d2d", Model: model, Text: refused, Denied: []string{"create"}, SessionUsage: &none,
		}},
		failed("401", "264df095-c202-498d-8832-e8e3ec1fd98b", KindLogin, "Authentication failed with provider"),
		failed("429", "7c9ce037-dc9f-4eed-9b59-6dbe7762156f", KindLimit, "429 Rate limit reached"),
		failed("503", "ed86322a-f545-4f41-8b3b-9bdf80259788", KindOverload, "503 The model is overloaded"),
		failed("ctx", "cb640402-26cb-4616-8509-3ca768ba2be2", KindContext, "prompt as too long"),
		failed("no-auth", "", KindLogin, "No authentication information"),
		{
			file: "resume-unknown", exit: 1, session: "11111111-1111-4111-8111-111111111111", before: &none, kind: KindSession,
			message: "No session, task, or name matched", want: Outcome{Result: Failed, Model: "asked-for", SessionUsage: &none},
		},
		// It ends with exit code 0 after a signal, and twice with a result that says so.
		stopped("direct-sigint-sleep", "64892cb3-366f-45de-a411-cfeecd8a84a2", 0, "", "aborted: user_initiated"),
		stopped("direct-sigterm-sleep", chosen, 0, "", "aborted: user_initiated"),
		slow(stopped("direct-sigterm-slow", chosen, 0, "", "aborted: user_abort")),
		stopped("sigterm-group", "8e3fbba3-d8c6-4f0b-9994-9a8a1f72abd1", -1, "SIGTERM", "aborted: user_abort"),
		stopped("direct-sigkill-sleep", chosen, -1, "SIGKILL", "ended by SIGKILL without a result"),
		stopped("sigkill-sleep", chosen, -1, "SIGKILL", "ended by SIGKILL without a result"),
		stopped("sigint-sleep", chosen, -1, "SIGINT", "ended by SIGINT without a result"),
		stopped("sigterm-sleep", chosen, -1, "SIGTERM", "ended by SIGTERM without a result"),
		slow(stopped("sigterm-slow", chosen, -1, "SIGTERM", "ended by SIGTERM without a result")),
		{file: "text", kind: KindOther, message: "exit code 0 without a result: " + done, want: Outcome{
			Result: Failed, Session: chosen, Model: "asked-for", SessionUsage: &none,
		}},
	}
}
