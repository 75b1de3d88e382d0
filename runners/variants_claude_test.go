package runners

func claudeVariants() []variant {
	const begin = `{"type":"system","subtype":"init","session_id":"s1","model":"opus"}`
	const end = `{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s1","total_cost_usd":0.5,` +
		`"modelUsage":{"opus":{"inputTokens":1,"cacheReadInputTokens":2,"cacheCreationInputTokens":3,"outputTokens":4,"costUSD":0.5}}}`
	used := tokens(1, 2, 3, 4, -1).costing(0.5)
	ok := read{Result: OK, Session: "s1", Model: "opus", Text: "Done.", Usage: used}
	failed := func(kind ErrorKind, text string, used Usage) read {
		return read{Result: Failed, Session: "s1", Model: "opus", Text: text, Usage: used, Kind: kind}
	}
	nothing := Usage{}
	return []variant{
		{name: "several models, and usage that lags", stdout: lines(begin, `{"type":"result","is_error":false,"result":"Done.","total_cost_usd":0.75,"usage":{"input_tokens":0,"output_tokens":0},`+
			`"modelUsage":{"haiku":{"inputTokens":10,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"outputTokens":5,"costUSD":0.25},`+
			`"opus":{"inputTokens":1,"cacheReadInputTokens":2,"cacheCreationInputTokens":3,"outputTokens":4,"costUSD":0.5}}}`), want: read{
			Result: OK, Session: "s1", Model: "opus", Text: "Done.", Usage: tokens(11, 2, 3, 9, -1).costing(0.75),
		}},
		{name: "a model without a cost of its own: the run's", stdout: lines(begin, `{"type":"result","is_error":false,"result":"Done.","total_cost_usd":0.75,`+
			`"modelUsage":{"haiku":{"inputTokens":10,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"outputTokens":5},`+
			`"opus":{"inputTokens":1,"cacheReadInputTokens":2,"cacheCreationInputTokens":3,"outputTokens":4,"costUSD":0.5}}}`), want: read{
			Result: OK, Session: "s1", Model: "opus", Text: "Done.", Usage: tokens(11, 2, 3, 9, -1).costing(0.75),
		}},
		{name: "no usage by model", stdout: lines(begin, `{"type":"result","is_error":false,"result":"Done.","total_cost_usd":0.5,"modelUsage":null,`+
			`"usage":{"input_tokens":"1","cache_read_input_tokens":2,"cache_creation_input_tokens":3,"output_tokens":"4"}}`), want: ok},
		{name: "no usage at all is unknown", stdout: lines(begin, `{"type":"result","is_error":false,"result":"Done.","usage":null}`), want: read{
			Result: OK, Session: "s1", Model: "opus", Text: "Done.",
		}},
		{
			name: "a subagent's words are not its own", want: ok,
			stdout: lines(begin, `{"type":"assistant","parent_tool_use_id":"t1","message":{"content":[{"type":"text","text":"I am the other one."}]}}`, end),
		},
		{
			name: "limits that passed, then the end", want: ok,
			stdout: lines(begin, `{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":529,"error":"overloaded"}`, end),
		},
		{name: "a limit that passed is not why it failed later", end: ending{exit: 1}, stdout: lines(
			begin, `{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":429,"error":"rate_limit"}`,
			`{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["Reached maximum number of turns (3)"]}`,
		), want: failed(KindOther, "Reached maximum number of turns (3)", nothing)},
		{name: "killed while it tried again", end: ending{exit: -1, signal: "SIGKILL"}, stdout: lines(
			begin, `{"type":"system","subtype":"api_retry","attempt":7,"max_retries":10,"error_status":429,"error":"rate_limit"}`,
		), want: failed(KindLimit, "", nothing)},
		{name: "an error that calls itself success, with exit 0", stdout: lines(
			begin, `{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Invalid API key"}`,
		), want: failed(KindLogin, "Invalid API key", nothing)},
		{name: "an error by its subtype alone", stdout: lines(
			begin, `{"type":"result","subtype":"error_max_budget_usd","errors":["Reached maximum budget"],"total_cost_usd":0.5,"usage":{"input_tokens":0},`+
				`"modelUsage":{"opus":{"inputTokens":1,"cacheReadInputTokens":2,"cacheCreationInputTokens":3,"outputTokens":4,"costUSD":0.5}}}`,
		), want: failed(KindOther, "Reached maximum budget", used)},
		{name: "done, with exit 1", end: ending{exit: 1}, stdout: lines(begin, end), want: ok},
		{name: "done, and nothing after it", stdout: begin + "\n" + end, want: ok},
		{name: "cut off in its last line", end: ending{exit: 1}, stdout: begin + "\n" + end[:100], want: failed(KindOther, "", nothing)},
		{name: "terminated while it waited", end: ending{exit: 143}, stdout: lines(begin), want: failed(KindOther, "", nothing)},
		{name: "we stopped it, and it says that it is done", end: ending{cause: Stopped, why: "by tendril stop"}, stdout: lines(begin, end), want: read{
			Result: Stopped, Session: "s1", Model: "opus", Text: "Done.", Usage: used, Kind: KindOther,
		}},
		{name: "a limit and its end", end: ending{exit: 1}, stdout: lines(
			begin, `{"type":"result","is_error":true,"result":"Claude AI usage limit reached|1796044800"}`,
		), want: read{
			Result: Failed, Session: "s1", Model: "opus", Text: "Claude AI usage limit reached|1796044800", Kind: KindLimit, Reset: 1796044800,
		}},
		{name: "the connection", end: ending{exit: 1}, stdout: lines(
			begin, `{"type":"result","is_error":true,"result":"Connection to the API was lost (ECONNRESET)"}`,
		), want: failed(KindNetwork, "Connection to the API was lost (ECONNRESET)", nothing)},
		{name: "noise, other events, other values", want: ok, stdout: lines(
			"Warning: something", begin, `{"type":"stream_event","event":{}}`, `{"type":"unheard"}`, `[1,2]`, `7`, `null`, `{"type":"assistant"}`,
			`{"type":"assistant","message":{"content":null}}`, `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"X","input":"s"}]}}`, end,
		)},
		{name: "not UTF-8", stdout: lines(begin, "{\"type\":\"result\",\"is_error\":false,\"result\":\"caf\xe9\"}"), want: read{
			Result: OK, Session: "s1", Model: "opus", Text: "caf\uFFFD",
		}},
		{
			name: "work in the background: the last end counts", want: ok,
			stdout: lines(begin, `{"type":"result","is_error":false,"result":"It runs.","modelUsage":{"opus":{"inputTokens":1,"costUSD":0.1}}}`, begin, end),
		},
		{name: "two tools refused", stdout: lines(
			begin, `{"type":"result","is_error":false,"result":"No.","permission_denials":[{"tool_name":"Bash"},{"tool_name":"Write"},{"tool_name":"Bash"},{}]}`,
		), want: read{Result: OK, Session: "s1", Model: "opus", Text: "No.", Denied: []string{"Bash", "Write", "a tool"}}},
	}
}
