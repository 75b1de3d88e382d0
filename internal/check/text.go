package check

import (
	"bytes"
	"regexp"
)

// terminalSequence is what programs print to colour, move and title: CSI, OSC and two-byte escapes.
var terminalSequence = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_=>78])`)

// plainText makes output fit for Markdown and prompts: no terminal sequences, no control characters, of each line only
// what a terminal would show after carriage returns, valid UTF-8. Whole lines are kept.
func plainText(out []byte) []byte {
	if bytes.IndexByte(out, 0x1b) >= 0 {
		out = terminalSequence.ReplaceAll(out, nil)
	}
	out = bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n"))
	if bytes.IndexByte(out, '\r') >= 0 {
		lines := bytes.Split(out, []byte("\n"))
		for i, l := range lines {
			lines[i] = l[bytes.LastIndexByte(bytes.TrimRight(l, "\r"), '\r')+1:]
		}
		out = bytes.Join(lines, []byte("\n"))
	}
	out = bytes.ToValidUTF8(out, []byte("\uFFFD"))
	return bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, out)
}
