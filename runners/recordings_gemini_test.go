package runners

import "strings"

// geminiRecordings: its protocol tells of no cache that was written, and of no cost; thoughts are the rest of the total.
func geminiRecordings() []recorded {
	both, first, nothing := tokens(2406, 8103, -1, 63, 100), tokens(2102, 3001, -1, 41, 70), tokens(0, 0, -1, 0, 0)
	const model, writes, sleeps = "gemini-2.5-pro", "write_file hello.txt", "run_shell_command sleep 300"
	ok := func(file, session string) recorded {
		// The words come in pieces.
		return recorded{file: file, texts: []string{begins, done}, tools: []string{writes}, want: Outcome{
			Result: OK, Session: session, Model: model, Text: done, Usage: both,
		}}
	}
	// killed was ended while it tried again: stderr says why.
	killed := func(file, session string, kind ErrorKind, message string) recorded {
		return recorded{file: file, exit: -1, signal: "SIGKILL", kind: kind, message: message, want: Outcome{
			Result: Failed, Session: session, Model: model,
		}}
	}
	stopped := func(file, session string, exit int, signal, message string) recorded {
		return recorded{
			file: file, exit: exit, signal: signal, kind: KindOther, message: message, stopped: true,
			texts: []string{begins}, tools: []string{sleeps}, want: Outcome{Result: Failed, Session: session, Model: model},
		}
	}
	// Where the signal has no effect the recorder killed it in the end; else it exits with 0.
	const quiet = "exit code 0 without a result"
	return []recorded{
		ok("ok", "3e7084d6-d8b2-4eee-9678-bb515dffac71"),
		ok("stdin-hold", "e980c6da-6f57-48b1-baa1-84696b8dc695"),
		ok("stdin-short", "ec284f8e-f173-454d-b207-6b0223c158fe"),
		{file: "resume", session: "3e7084d6-d8b2-4eee-9678-bb515dffac71", texts: []string{plain}, want: Outcome{
			Result: OK, Session: "3e7084d6-d8b2-4eee-9678-bb515dffac71", Model: model, Text: plain, Usage: first,
		}},
		{file: "denied", texts: []string{"No usable tool offered."}, want: Outcome{
			// The tools were not offered: nothing was refused.
			Result: OK, Session: "64096116-a147-47b4-b1d3-05de9ce61bd0", Model: model, Text: "No usable tool offered.", Usage: first,
		}},
		{file: "401", exit: 145, kind: KindLogin, message: "invalid x-api-key", want: Outcome{
			// The exit code is the status, less 256.
			Result: Failed, Session: "b1fa41f5-abfc-4fc2-b23c-c54bc381d036", Model: model, Usage: nothing,
		}},
		{file: "503-180", exit: 247, kind: KindOverload, message: "overloaded", want: Outcome{
			Result: Failed, Session: "d3062ff7-7580-4ad1-bd50-5a72db7cc6a2", Model: model, Usage: nothing,
		}},
		killed("429", "742f7576-d446-4476-a488-fd06f37dd7b9", KindLimit, "failed with status 429"),
		killed("503", "18834cc2-914a-491d-836e-4ae6e058be14", KindOverload, "failed with status 503"),
		killed("quota", "5f1e4545-0653-48d5-b828-72bd7d9b6041", KindLimit, "failed with status 429"),
		stopped("norelaunch-sigint", "6ab79d1b-27c2-44ea-b166-cb39df5bbf92", 0, "", quiet),
		stopped("norelaunch-sigterm", "3c3cdf74-23c2-4cc5-b890-cd2a693c637f", 0, "", quiet),
		stopped("sigterm-group", "19c65ec5-b6c2-4ec0-b97c-86371d1a21af", 0, "", quiet),
		stopped("sigint-sleep", "96094164-bf58-461d-9b4e-c06768d14951", -1, "SIGKILL", "ended by SIGKILL"),
		stopped("sigkill-sleep", "51f894d5-095e-412c-9253-02a2c2219694", -1, "SIGKILL", "ended by SIGKILL"),
		stopped("sigterm-sleep", "f8cd1139-391b-4915-ab07-558ae9e7d69b", -1, "SIGKILL", "ended by SIGKILL"),
		{
			file: "norelaunch-slow-sigterm", kind: KindOther, message: quiet, stopped: true, texts: []string{strings.Repeat("word ", 16)},
			want: Outcome{Result: Failed, Session: "da34bdae-b242-408a-b80f-ee54c3e0cfe4", Model: model},
		},
		{file: "untrusted", exit: 55, kind: KindOther, message: "not running in a trusted directory", want: Outcome{
			Result: Failed, Model: "asked-for",
		}},
		{file: "resume-unknown", exit: 42, session: "11111111-1111-4111-8111-111111111111", kind: KindSession, message: "Error resuming session", want: Outcome{
			Result: Failed, Model: "asked-for",
		}},
		{file: "json", kind: KindOther, message: quiet, want: Outcome{
			// One value over many lines, which is another format than the one that is asked for.
			Result: Failed, Session: sessionOf(""), Model: "asked-for",
		}},
	}
}
