package runners

func geminiVariants() []variant {
	const begin = `{"type":"init","session_id":"g1","model":"pro"}`
	const said = `{"type":"message","role":"assistant","content":"Done.","delta":true}`
	const pro = `"pro":{"total_tokens":160,"input_tokens":100,"output_tokens":50,"cached":60,"input":40}`
	ok := read{Result: OK, Session: "g1", Model: "pro", Text: "Done.", Usage: tokens(40, 60, -1, 50, 10)}
	failed := func(kind ErrorKind, text string) read {
		return read{Result: Failed, Session: "g1", Model: "pro", Text: text, Kind: kind}
	}
	const attempt = `Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {"error":{"code":429}}`
	return []variant{
		{name: "two models", stdout: lines(
			begin, said, `{"type":"result","status":"success","stats":{"models":{`+pro+`,"flash":{"total_tokens":9,"input_tokens":5,"output_tokens":4,"cached":0,"input":5}}}}`,
		), want: read{Result: OK, Session: "g1", Model: "pro", Text: "Done.", Usage: tokens(45, 60, -1, 54, 10)}},
		{name: "no models: the totals", want: ok, stdout: lines(
			begin, said, `{"type":"result","status":"success","stats":{"total_tokens":160,"input_tokens":100,"output_tokens":50,"cached":60,"models":{}}}`,
		)},
		{name: "no stats", want: read{Result: OK, Session: "g1", Model: "pro", Text: "Done."}, stdout: lines(begin, said, `{"type":"result","status":"success","stats":null}`)},
		{name: "numbers in quotes", want: ok, stdout: lines(
			begin, said, `{"type":"result","status":"success","stats":{"models":{"pro":{"total_tokens":"160","input_tokens":"100","output_tokens":"50","cached":"60","input":"40"}}}}`,
		)},
		{name: "tries that failed, then the end", stderr: lines(attempt), want: ok, stdout: lines(begin, said, `{"type":"result","status":"success","stats":{"models":{`+pro+`}}}`)},
		{name: "a limit that passed is not why it failed later", stderr: lines(attempt), end: ending{exit: 53}, want: failed(KindOther, "Reached max session turns"), stdout: lines(
			begin, `{"type":"result","status":"error","error":{"message":"Reached max session turns"}}`,
		)},
		{name: "killed while it tried again", stderr: lines(attempt), end: ending{exit: -1, signal: "SIGKILL"}, stdout: lines(begin), want: failed(KindLimit, "")},
		{name: "an exit code that is a status", end: ending{exit: 429 & 255}, stdout: lines(
			begin, `{"type":"result","status":"error","error":{"message":"[API Error: {\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\"}}]"}}`,
		), want: failed(KindLimit, `[API Error: {"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}]`)},
		{name: "an error with exit 0", stdout: lines(begin, `{"type":"result","status":"error","error":null}`), want: failed(KindOther, "")},
		{name: "no end, with exit 0", stdout: lines(begin, said), want: failed(KindOther, "Done.")},
		{name: "words after a tool are new ones", stdout: lines(
			begin, `{"type":"message","role":"assistant","content":"I ","delta":true}`, `{"type":"message","role":"assistant","content":"begin.","delta":true}`,
			`{"type":"tool_use","tool_name":"write_file","tool_id":"w","parameters":{"file_path":"a"}}`, `{"type":"tool_result","tool_id":"w","status":"success"}`,
			`{"type":"message","role":"assistant","content":"Do","delta":true}`, `{"type":"message","role":"assistant","content":"ne.","delta":true}`,
			`{"type":"result","status":"success","stats":{"models":{`+pro+`}}}`,
		), want: ok},
		{name: "a tool that was refused, by its id", want: read{Result: OK, Session: "g1", Model: "pro", Text: "Done.", Denied: []string{"run_shell_command"}}, stdout: lines(
			begin, `{"type":"tool_result","tool_id":"run_shell_command__call_1796044480944625365","status":"error","output":"Tool execution denied by policy."}`, said,
			`{"type":"result","status":"success"}`,
		)},
		{name: "other events, and what the prompt holds", want: ok, stdout: lines(
			begin, `{"type":"message","role":"user","content":"quota 429"}`, `{"type":"unheard"}`, `{"type":"error","severity":"warning","message":"loop"}`, said,
			`{"type":"result","status":"success","stats":{"models":{`+pro+`}}}`,
		)},
	}
}
