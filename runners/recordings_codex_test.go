package runners

// codexRecordings: it names no model and no cost; its figures count over the thread, and there are none where it failed.
func codexRecordings() []recorded {
	const command = `/bin/bash -lc "printf 'hello from fakellm\\n' > hello.txt"`
	const overload = "unexpected status 503 Service Unavailable: The model is overloaded. Please try again later., url: http://127.0.0.1:8399/s/529/v1/responses"
	const thread = "01a22c8a-74e6-76c2-9044-ba0fca636f34"
	none := tokens(0, 0, 0, 0, 0)
	// One build of the server told of what was written to the cache, the other did not.
	written, unwritten := tokens(203, 8103, 2203, 63, 100), tokens(2406, 8103, 0, 63, 100)
	ok := func(file, session string, used Usage) recorded {
		return recorded{file: file, texts: []string{begins, done}, tools: []string{"shell " + command}, want: Outcome{
			Result: OK, Session: session, Text: done, Usage: used, SessionUsage: &used,
		}}
	}
	refused := func(file, session string, used Usage) recorded {
		c := ok(file, session, used)
		c.want.Denied = []string{command}
		return c
	}
	// silent says that it is done; its command never shows, and nothing was delivered.
	silent := func(file, session string, used Usage) recorded {
		c := ok(file, session, used)
		c.tools = nil
		return c
	}
	failed := func(file, session string, kind ErrorKind, message string) recorded {
		return recorded{file: file, exit: 1, kind: kind, message: message, want: Outcome{
			Result: Failed, Session: session, Text: message, SessionUsage: &none,
		}}
	}
	ended := func(file, session string, exit int, signal, message string) recorded {
		return recorded{file: file, exit: exit, signal: signal, kind: KindOther, message: message, want: Outcome{
			Result: Failed, Session: session, SessionUsage: &none,
		}}
	}
	stopped := func(c recorded, tool string) recorded {
		c.stopped = true
		if tool != "" {
			c.texts, c.tools, c.want.Text = []string{begins}, []string{"shell /bin/bash -lc '" + tool + "'"}, begins
		}
		return c
	}
	const sleep, tail, noResult = "sleep 300", "tail -f /dev/null", "exit code 1 without a result"
	rows := []recorded{
		ok("ok", thread, unwritten),
		ok("argv-and-stdin", "01a22c8b-0057-7831-91eb-909a8161f08a", unwritten),
		ok("bypass", "01a22c8b-62f3-78b2-8d85-6968bb9e2293", unwritten),
		ok("stdin-long", "01a22c8a-f6cd-7263-a2a0-9ab74f11ee96", unwritten),
		ok("stdin-noarg", "01a22c8a-ee5b-71a1-ad67-f4c7484dd2ea", unwritten),
		ok("stdin-short", "01a22c8a-e4d4-70d2-88a1-8097ab10eea2", unwritten),
		ok("smoke-bypass", "01a22c9f-62e5-7650-a7e5-bc265763c4e7", written),
		ok("smoke-codexhome", "01a22c9f-3d86-7112-b311-9a29a3958007", written),
		refused("denied-default", "01a22c8b-5aa1-71c3-b112-faa99ade8482", unwritten),
		refused("readonly-codexhome", "01a22c9f-5302-77f2-99f4-eacf62318066", written),
		silent("denied-readonly", "01a22c8b-532d-7172-a83c-ca733a964667", unwritten),
		silent("readonly2", "01a22c9e-8224-7352-aa04-2608c707f8ba", written),
		silent("nogit-skip", "01a22c9e-74fe-75e3-9e49-8c8808980f95", written),
		failed("401", "01a22c8a-e38c-7a20-9f41-0a2a5f90ba39", KindLogin, "unexpected status 401 Unauthorized: invalid x-api-key, url: http://127.0.0.1:8399/s/401/v1/responses"),
		failed("429", "01a22c8b-04ad-7350-a50e-4b01fd70512e", KindLimit, "exceeded retry limit, last status: 429 Too Many Requests"),
		failed("prompt-scenario", "01a22ca3-bc56-7162-a1cd-1322a4edcbf4", KindLimit, "exceeded retry limit, last status: 429 Too Many Requests"),
		failed("503", "01a22c8b-0b64-7a32-9c58-d02bc314ccd5", KindOverload, overload),
		failed("ctx", "01a22c8b-9ba1-7461-afd0-fba089fb6955", KindContext, "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying."),
		failed("no-key", "01a22c8d-1197-7303-bdd7-29330616057f", KindLogin, "Missing environment variable: `FAKE_KEY`."),
		ended("nogit", "", 1, "", noResult+": Not inside a trusted directory"),
		ended("bad-flag", "", 2, "", "exit code 2 without a result"),
		ended("text", "", 0, "", "exit code 0 without a result"),
		ended("hang", "01a22c8b-a4ec-7a12-a7e2-b87dec141832", -1, "SIGKILL", "ended by SIGKILL without a result"),
		ended("direct-hang", "01a22c99-7e8a-7132-85f5-1a90c456fcbc", -1, "SIGKILL", "ended by SIGKILL without a result"),
		ended("stdin-hold", "", -1, "SIGKILL", "ended by SIGKILL without a result"),
		stopped(ended("direct-sigint", "01a22ca0-76e3-7732-9d4a-f38a07bba5b6", 1, "", noResult), tail),
		stopped(ended("direct-sigkill-group", "01a22c9f-dca1-75f2-8c2b-57ba778014ea", -1, "SIGKILL", "ended by SIGKILL"), tail),
		stopped(ended("direct-sigkill", "01a22c99-4ef4-74b0-a773-99c2abf29d12", -1, "SIGKILL", "ended by SIGKILL"), sleep),
		stopped(ended("direct-sigterm", "01a22c99-2577-7593-8cd0-0fea278cad53", -1, "SIGTERM", "ended by SIGTERM without a result"), sleep),
		stopped(ended("sigint-group", "01a22c8c-9e43-7d71-bebb-e9fe6cb3d551", 1, "", noResult), sleep),
		stopped(ended("sigint-sleep", "01a22c8c-3e62-7ae1-a494-ce750396b511", 1, "", noResult), sleep),
		stopped(ended("sigint-slow", "01a22c8c-da34-7442-af9f-ead5bf795557", 1, "", noResult), ""),
		stopped(ended("sigkill-sleep", "01a22c8c-5a9e-70e2-b536-bba61940a042", -1, "SIGKILL", "ended by SIGKILL"), sleep),
		stopped(ended("sigterm-group", "01a22c8c-819f-74a2-a194-502c99110065", -1, "SIGTERM", "ended by SIGTERM"), sleep),
		stopped(ended("sigterm-sleep", "01a22c8c-1f65-7450-8e5b-012978448eae", -1, "SIGTERM", "ended by SIGTERM"), sleep),
		stopped(ended("sigterm-slow", "01a22c8c-bc2a-7f92-84a4-a93aafa424ea", -1, "SIGTERM", "ended by SIGTERM"), ""),
	}
	again := func(file, session string, before, used, total Usage) recorded {
		return recorded{file: file, session: session, before: &before, texts: []string{plain}, want: Outcome{
			Result: OK, Session: session, Text: plain, Usage: used, SessionUsage: &total,
		}}
	}
	one, second := tokens(2102, 3001, 0, 41, 70), tokens(4508, 11104, 0, 104, 170)
	rows = append(
		rows,
		// The thread's total less what its earlier runs used: one call each.
		again("resume", thread, unwritten, one, second),
		again("resume-othercwd", thread, second, one, tokens(6610, 14105, 0, 145, 240)),
		again("resume-stdin", "01a22c9f-d1ae-7593-9c61-e154193e2963", written, tokens(101, 3001, 2001, 41, 70), tokens(304, 11104, 4204, 104, 170)),
		recorded{
			file: "resume-unknown", exit: 1, session: "01a22c8a-74e6-76c2-9044-ba0fca636f35", before: &written, kind: KindSession, message: "no rollout found",
			want: Outcome{Result: Failed, SessionUsage: &written},
		},
	)
	for i := range rows {
		rows[i].want.Model = "asked-for"
	}
	return rows
}
