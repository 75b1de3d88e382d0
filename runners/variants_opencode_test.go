package runners

func opencodeVariants() []variant {
	const begin = `{"type":"step_start","sessionID":"o1","part":{}}`
	const said = `{"type":"text","sessionID":"o1","part":{"text":"Done."}}`
	step := func(id, reason, tokens string) string {
		return `{"type":"step_finish","sessionID":"o1","part":{"id":"` + id + `","reason":"` + reason + `","tokens":` + tokens + `}}`
	}
	const some = `{"input":10,"output":4,"reasoning":3,"cache":{"read":2,"write":1}},"cost":0.25,"x":{}`
	once, twice := tokens(10, 2, 1, 4, 3).costing(0.25), tokens(20, 4, 2, 8, 6).costing(0.5)
	ok := func(used Usage) read { return read{Result: OK, Session: "o1", Text: "Done.", Usage: used} }
	failed := func(kind ErrorKind, text string) read {
		return read{Result: Failed, Session: "o1", Text: text, Kind: kind}
	}
	fails := func(e string) string { return lines(`{"type":"error","sessionID":"o1","error":` + e + `}`) }
	return []variant{
		{name: "each step once", want: ok(twice), stdout: lines(begin, step("a", "tool-calls", some), step("a", "tool-calls", some), said, step("b", "stop", some))},
		{name: "steps without an id", want: ok(twice), stdout: lines(begin, step("", "tool-calls", some), said, step("", "stop", some))},
		{name: "numbers in quotes", want: ok(once), stdout: lines(begin, said, step("a", "stop", `{"input":"10","output":"4","reasoning":"3","cache":{"read":"2","write":"1"}},"cost":"0.25","x":{}`))},
		{name: "a cost of 0 is unknown", want: ok(tokens(10, 2, 1, 4, 3)), stdout: lines(begin, said, step("a", "stop", `{"input":10,"output":4,"reasoning":3,"cache":{"read":2,"write":1}},"cost":0,"x":{}`))},
		{name: "null usage", want: ok(Usage{}), stdout: lines(begin, said, step("a", "stop", "null"))},
		{name: "a step whose usage is not known makes the sum unknown", want: ok(Usage{}), stdout: lines(begin, step("a", "tool-calls", some), said, step("b", "stop", "null"))},
		{name: "no step that stops, with exit 0", stdout: lines(begin, said, step("a", "tool-calls", some)), want: read{
			Result: Failed, Session: "o1", Text: "Done.", Usage: once, Kind: KindOther,
		}},
		{name: "cut off at the limit of the answer", stdout: lines(begin, said, step("a", "length", some)), want: read{
			Result: Failed, Session: "o1", Text: "the answer was cut off at the model's limit", Usage: once, Kind: KindOther,
		}},
		{name: "an error, with exit 0", stdout: fails(`{"name":"APIError","data":{"statusCode":401,"message":"no"}}`), want: failed(KindLogin, "no")},
		{name: "an error that it recovered from", want: ok(once), stdout: fails(`{"name":"APIError","data":{"statusCode":503,"message":"busy"}}`) + lines(begin, said, step("a", "stop", some))},
		{name: "done, with exit 1", end: ending{exit: 1}, want: ok(once), stdout: lines(begin, said, step("a", "stop", some))},
		{name: "a status in quotes", stdout: fails(`{"data":{"statusCode":"429","message":"slow"}}`), want: failed(KindLimit, "slow")},
		{name: "an error that is a text", stdout: fails(`"fetch failed"`), want: failed(KindNetwork, "fetch failed")},
		{name: "an error without words", stdout: fails(`{"name":"UnknownError","data":null}`), want: failed(KindOther, "UnknownError")},
		{name: "the context is full", stdout: fails(`{"name":"ContextOverflowError","data":{"message":"x"}}`), want: failed(KindContext, "x")},
		{name: "refused by a rule, and done otherwise", stdout: lines(
			begin, `{"type":"tool_use","sessionID":"o1","part":{"tool":"bash","state":{"status":"error","error":"The user has specified a rule which prevents you from using this specific tool call."}}}`,
			`{"type":"tool_use","sessionID":"o1","part":{"tool":"edit","state":{"status":"error","error":"File not found"}}}`, said, step("a", "stop", some),
		), want: read{Result: OK, Session: "o1", Text: "Done.", Usage: once, Denied: []string{"bash"}}},
		{name: "other events, other values", want: ok(once), stdout: lines(
			begin, `{"type":"reasoning","part":{"text":"hm"}}`, `{"type":"unheard"}`, `{"type":"tool_use","part":{"state":null}}`, `{"type":"text","part":null}`, `{"type":"step_start"}`, `"x"`, said,
			step("a", "stop", some),
		)},
	}
}
