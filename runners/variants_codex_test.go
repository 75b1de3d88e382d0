package runners

func codexVariants() []variant {
	const begin = `{"type":"thread.started","thread_id":"t1"}`
	const said = `{"type":"item.completed","item":{"type":"agent_message","text":"Done."}}`
	const end = `{"type":"turn.completed","usage":{"input_tokens":106,"cached_input_tokens":50,"cache_write_input_tokens":6,"output_tokens":30,"reasoning_output_tokens":10}}`
	ok := read{Result: OK, Session: "t1", Text: "Done.", Usage: tokens(50, 50, 6, 20, 10)}
	failed := func(kind ErrorKind, text string) read {
		return read{Result: Failed, Session: "t1", Text: text, Kind: kind}
	}
	fails := func(message string) string {
		return lines(begin, `{"type":"turn.failed","error":{"message":"`+message+`"}}`)
	}
	before, none := tokens(40, 50, 6, 20, 10), tokens(0, 0, 0, 0, 0)
	return []variant{
		{name: "warnings, retries and other events", want: ok, stdout: lines(
			begin, `{"type":"item.completed","item":{"type":"error","message":"Model metadata not found"}}`,
			`{"type":"error","message":"Reconnecting... 1/5 (unexpected status 503 Service Unavailable)"}`, `{"type":"item.updated","item":{"type":"todo_list"}}`,
			`{"type":"item.completed"}`, `{"type":"unheard","x":[1]}`, said, end,
		)},
		{name: "two turns: the last figures hold the first", stdout: lines(
			begin, `{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"cache_write_input_tokens":0,"output_tokens":3,"reasoning_output_tokens":1}}`, said, end,
		), want: ok},
		{name: "resumed: what was before is taken off", session: "t1", before: &before, stdout: lines(begin, said, end), want: read{
			Result: OK, Session: "t1", Text: "Done.", Usage: tokens(10, 0, 0, 0, 0),
		}},
		{name: "resumed after a run that said nothing", session: "t1", before: &none, stdout: lines(begin, said, end), want: ok},
		{name: "resumed, and nobody knows what was before", session: "t1", stdout: lines(begin, said, end), want: read{Result: OK, Session: "t1", Text: "Done."}},
		{name: "a total that went down is not the thread's", session: "t1", before: &before, stdout: lines(
			begin, said, `{"type":"turn.completed","usage":{"input_tokens":5,"cached_input_tokens":0,"cache_write_input_tokens":0,"output_tokens":30,"reasoning_output_tokens":10}}`,
		), want: read{Result: OK, Session: "t1", Text: "Done.", Usage: Usage{Output: count(0), Reasoning: count(0)}}},
		{name: "null usage", stdout: lines(begin, said, `{"type":"turn.completed","usage":null}`), want: read{Result: OK, Session: "t1", Text: "Done."}},
		{name: "numbers in quotes, buckets left out", stdout: lines(
			begin, said, `{"type":"turn.completed","usage":{"input_tokens":"106","cached_input_tokens":"50","output_tokens":"30"}}`,
		), want: read{Result: OK, Session: "t1", Text: "Done.", Usage: tokens(56, 50, -1, 30, -1)}},
		{name: "a result that failed, with exit 0", stdout: fails("unexpected status 401 Unauthorized: no"), want: failed(KindLogin, "unexpected status 401 Unauthorized: no")},
		{name: "done, with exit 1", end: ending{exit: 1}, stdout: lines(begin, said, end), want: ok},
		{name: "no end, with exit 0", stdout: lines(begin, said), want: failed(KindOther, "Done.")},
		{name: "killed while it tried again", end: ending{exit: -1, signal: "SIGKILL"}, want: failed(KindOverload, ""), stdout: lines(
			begin, `{"type":"error","message":"Reconnecting... 1/5 (unexpected status 503 Service Unavailable)"}`,
		)},
		// The address has numbers of its own.
		{name: "503 at a port and a path", stdout: fails("unexpected status 503 Service Unavailable: x, url: http://127.0.0.1:429/s/401/v1"), want: failed(KindOverload, "unexpected status 503 Service Unavailable: x, url: http://127.0.0.1:429/s/401/v1")},
		{name: "a bad request", stdout: fails("unexpected status 400 Bad Request: url: http://127.0.0.1:5000/v1"), want: failed(KindOther, "unexpected status 400 Bad Request: url: http://127.0.0.1:5000/v1")},
		{name: "quota", stdout: fails("Quota exceeded. Check your plan and billing details."), want: failed(KindLimit, "Quota exceeded. Check your plan and billing details.")},
		{name: "a stream that was cut", stdout: fails("stream disconnected before completion: closed"), want: failed(KindNetwork, "stream disconnected before completion: closed")},
		{name: "an error that is a text", stdout: lines(begin, `{"type":"turn.failed","error":"high demand"}`), want: failed(KindOverload, "high demand")},
		{name: "a command that was declined", want: read{Result: OK, Session: "t1", Text: "Done.", Usage: ok.Usage, Denied: []string{"rm x"}}, stdout: lines(
			begin, `{"type":"item.completed","item":{"type":"command_execution","command":"rm x","status":"declined"}}`, said, end,
		)},
		{name: "a command that failed is not refused", want: ok, stdout: lines(
			begin, `{"type":"item.completed","item":{"type":"command_execution","command":"false","aggregated_output":null,"exit_code":1,"status":"failed"}}`, said, end,
		)},
	}
}
