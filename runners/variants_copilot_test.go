package runners

func copilotVariants() []variant {
	const said = `{"type":"assistant.message","data":{"content":"Done.","model":"m"}}`
	const end = `{"type":"result","sessionId":"c1","exitCode":0}`
	const file = `{"modelMetrics":{"m":{"usage":{"inputTokens":106,"outputTokens":30,"cacheReadTokens":50,"cacheWriteTokens":6,"reasoningTokens":10}}}}`
	used := tokens(50, 50, 6, 20, 10)
	ok := read{Result: OK, Session: "c1", Model: "m", Text: "Done.", Usage: used}
	failed := func(kind ErrorKind) read { return read{Result: Failed, Session: "c1", Kind: kind} }
	fails := func(data string) string {
		return lines(`{"type":"session.error","data":`+data+`}`, `{"type":"result","sessionId":"c1","exitCode":1}`)
	}
	one := ending{exit: 1}
	return []variant{
		{name: "two models in the file", stdout: lines(said, end), want: read{Result: OK, Session: "c1", Model: "m", Text: "Done.", Usage: tokens(57, 50, 6, 23, 10)}, file: `{"modelMetrics":{` +
			`"m":{"usage":{"inputTokens":106,"outputTokens":30,"cacheReadTokens":50,"cacheWriteTokens":6,"reasoningTokens":10}},` +
			`"small":{"usage":{"inputTokens":7,"outputTokens":3,"cacheReadTokens":0,"cacheWriteTokens":0,"reasoningTokens":0}}}}`},
		{name: "numbers in quotes", stdout: lines(said, end), want: ok, file: `{"modelMetrics":{"m":{"usage":{"inputTokens":"106","outputTokens":"30","cacheReadTokens":"50","cacheWriteTokens":"6","reasoningTokens":"10"}}}}`},
		{name: "a file without figures", stdout: lines(said, end), want: read{Result: OK, Session: "c1", Model: "m", Text: "Done."}, file: `{"modelMetrics":{"m":{"usage":null}}}`},
		{name: "a file that is no JSON", stdout: lines(said, end), want: read{Result: OK, Session: "c1", Model: "m", Text: "Done."}, file: "{"},
		{name: "resumed: the session's figures less those before", session: "c1", before: &used, stdout: lines(said, end), want: read{
			Result: OK, Session: "c1", Model: "m", Text: "Done.", Usage: tokens(0, 0, 0, 0, 0),
		}, file: file},
		{name: "pieces of words and other events", file: file, want: ok, stdout: lines(
			`{"type":"assistant.message_delta","ephemeral":true,"data":{"deltaContent":"Do"}}`, `{"type":"unheard","data":null}`, `{"type":"assistant.message"}`,
			`{"type":"assistant.message","data":{"content":"","toolRequests":[{}]}}`, said,
			`{"type":"assistant.message","ephemeral":true,"data":{"content":"Not this."}}`, end,
		)},
		{name: "a subagent's words are not its own", file: file, want: ok, stdout: lines(
			said, `{"type":"assistant.message","data":{"content":"I am the other one.","parentToolCallId":"call_1","model":"small"}}`, end,
		)},
		{name: "an error that it recovered from", file: file, want: ok, stdout: lines(`{"type":"session.error","data":{"errorType":"query","statusCode":503,"message":"x"}}`, said, end)},
		{name: "aborted, with a result that says 0", stdout: lines(said, `{"type":"abort","data":{"reason":"user_abort"}}`, end), want: read{
			Result: Failed, Session: "c1", Model: "m", Text: "aborted: user_abort", Kind: KindOther,
		}},
		{name: "its own code says 1, the program's 0", stdout: fails(`{"errorType":"query","statusCode":"503","message":"x"}`), want: failed(KindOverload)},
		{name: "its own code says 0, the program's 1", end: one, file: file, stdout: lines(said, end), want: ok},
		{name: "no end, with exit 0", stdout: lines(said), want: read{Result: Failed, Session: sessionOf(""), Model: "m", Text: "Done.", Kind: KindOther}},
		{name: "login by status", end: one, stdout: fails(`{"errorType":"query","statusCode":403,"message":"no"}`), want: failed(KindLogin)},
		{name: "limit by words", end: one, stdout: fails(`{"message":"You have exceeded your quota"}`), want: failed(KindLimit)},
		{name: "context by words", end: one, stdout: fails(`{"errorType":"query","message":"exceeds the context window"}`), want: failed(KindContext)},
		{name: "the connection", end: one, stdout: fails(`{"errorType":"query","message":"Last error: fetch failed"}`), want: failed(KindNetwork)},
		{name: "an error without words", end: one, stdout: fails(`{}`), want: failed(KindOther)},
		{name: "refused, and not failed", file: file, want: read{Result: OK, Session: "c1", Model: "m", Text: "Done.", Usage: used, Denied: []string{"bash"}}, stdout: lines(
			`{"type":"tool.execution_complete","data":{"success":false,"error":{"code":"denied","message":"no"},"toolName":"bash"}}`,
			`{"type":"tool.execution_complete","data":{"success":false,"error":{"code":"failure","message":"exit 1"},"toolName":"view"}}`, said, end,
		)},
	}
}
