package verify

import (
	"bytes"
	"regexp"
)

// sameAgain begins feedback on a failure that the agent was told of before.
const sameAgain = "This is the same failure as before: what you changed since did not mend it. Look for another cause.\n\n"

// changing are figures that differ between two runs of the same failure: times, addresses, ids, counts of bytes.
var changing = regexp.MustCompile(`\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{7,64}\b|[0-9]+`)

// SameFailure reports whether two feedbacks tell of the same failure, figures aside.
func SameFailure(a, b []byte) bool {
	a, b = bytes.TrimPrefix(a, []byte(sameAgain)), bytes.TrimPrefix(b, []byte(sameAgain))
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	return bytes.Equal(changing.ReplaceAll(a, []byte("0")), changing.ReplaceAll(b, []byte("0")))
}

// SaidAgain is feedback that says first that the failure is the one of before, FeedbackLimit bytes at most.
func SaidAgain(feedback []byte) []byte {
	feedback = bytes.TrimPrefix(feedback, []byte(sameAgain))
	return append([]byte(sameAgain), feedback[:min(len(feedback), FeedbackLimit-len(sameAgain))]...)
}

// Repeated reports whether feedback says that the failure is the one of before.
func Repeated(feedback []byte) bool { return bytes.HasPrefix(feedback, []byte(sameAgain)) }
