package runners

// opencodeRecordings: each step has its own figures and its own cost; no line says that it is the last, and none names a model.
func opencodeRecordings() []recorded {
	const one, two = 0.0035121, 0.0013342
	first, both := tokens(2102, 3001, 0, 41, 70).costing(one), tokens(2406, 8103, 0, 63, 100).costing(one+two)
	writes := []string{"write /repo/hello.txt"}
	ok := func(file, session string) recorded {
		return recorded{file: file, texts: []string{begins, done}, tools: writes, want: Outcome{
			Result: OK, Session: session, Text: done, Usage: both,
		}}
	}
	answered := func(file, session, text string) recorded {
		return recorded{file: file, texts: []string{text}, want: Outcome{Result: OK, Session: session, Text: text, Usage: first}}
	}
	failed := func(file, session string, kind ErrorKind, message string) recorded {
		return recorded{file: file, exit: 1, kind: kind, message: message, want: Outcome{Result: Failed, Session: session, Text: message}}
	}
	killed := func(file, session, signal string) recorded {
		return recorded{file: file, exit: -1, signal: signal, kind: KindOther, message: "ended by " + signal + " without a result", want: Outcome{
			Result: Failed, Session: session,
		}}
	}
	stopped := func(file, session, signal string, texts ...string) recorded {
		// A tool shows when it is done: the one at work does not.
		c := killed(file, session, signal)
		c.stopped, c.texts = true, texts
		return c
	}
	again := func(c recorded, session string) recorded {
		c.session = session
		return c
	}
	const session = "ses_dd373bf56ffeN97eBZ5uB7Lgf2"
	rows := []recorded{
		ok("ok", session),
		ok("argv-and-stdin", "ses_dd3722488ffeRErYvoe9w4aOQW"),
		ok("stdin-long", "ses_dd3726b01ffeTN5jZOv7U8ccef"),
		ok("stdin-short", "ses_dd372fe6cffer54kLaS638iA8E"),
		again(answered("resume", session, plain), session),
		answered("timing", "ses_dd367a3ccffeEa3Fgx21aPDO0S", plain),
		answered("denied-deny", "ses_dd36f9f9bffe61yLMxv9ywl9aT", "No usable tool offered."),
		{
			file: "denied-ask", kind: KindOther, message: "exit code 0 without a result: ! permission requested: edit (hello.txt); auto-rejecting", texts: []string{begins}, tools: writes,
			// The refusal ends the run, whatever its exit code says.
			want: Outcome{Result: Failed, Session: "ses_dd3700919ffeatFjb00Mp7C5be", Denied: []string{"write"}, Usage: first},
		},
		failed("401", "ses_dd3730b2bffeZJMcyFncS9h5vx", KindLogin, "invalid x-api-key"),
		failed("429", "ses_dd3669eb1ffeU9RLrgglyzMeYm", KindLimit, "Rate limit reached (fakellm)"),
		failed("503", "ses_dd3714571ffecibSmasEwrrfJZ", KindOverload, "The model is overloaded. Please try again later."),
		failed("no-model", "ses_dd36bd54affeKnyEkL13hLfXDX", KindOther, "Unexpected server error. Check server logs for details."),
		again(failed("resume-unknown", "", KindSession, ""), "ses_unknown"),
		// It waited in silence, and was killed when the recorder's time was over.
		killed("cut", "", "SIGKILL"),
		killed("stdin-hold", "", "SIGKILL"),
		again(killed("resume-othercwd", "", "SIGKILL"), session),
		again(killed("resume-othercwd2", "", "SIGKILL"), session),
		stopped("sigint-sleep", "ses_dd365e632ffeYZszMREn3a2kRE", "SIGINT", begins),
		stopped("sigkill-sleep", "ses_dd36ca083ffe5KTHXuaoMg1HTf", "SIGKILL", begins),
		stopped("sigterm-group", "ses_dd360f106ffeON2jX72iAkEVx5", "SIGTERM", begins),
		stopped("sigterm-sleep", "ses_dd3669ad7ffeTVDtTM5k50eWAl", "SIGTERM", begins),
		stopped("sigterm-slow", "ses_dd36c3224ffeu4XamJ6Q9jWcYO", "SIGTERM"),
		{file: "text", kind: KindOther, message: "exit code 0 without a result", want: Outcome{Result: Failed}},
	}
	for i := range rows {
		rows[i].want.Model = "asked-for"
	}
	return rows
}
