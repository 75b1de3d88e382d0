package plans

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// styled writes a status in the way old was written: IN_REVIEW becomes CHANGES_REQUESTED, In Review becomes Changes Requested.
// Where old does not show a separator, the design's hyphen stands.
func styled(to Status, old string) string {
	old = strings.TrimSpace(old)
	words := strings.Split(string(to), "-")
	first, second, separator := oldWords(old)
	switch {
	case first == "":
	case len(first+second) > 1 && first+second == strings.ToUpper(first+second):
		for i := range words {
			words[i] = strings.ToUpper(words[i])
		}
	default:
		if capital(first) {
			words[0] = capitalised(words[0])
		}
		if second == "" && capital(first) || capital(second) {
			for i := 1; i < len(words); i++ {
				words[i] = capitalised(words[i])
			}
		}
	}
	return strings.Join(words, separator)
}

// oldWords takes a status apart as the file has it. Of one word it gives the usual separator.
func oldWords(old string) (first, second, separator string) {
	st, ok := ParseStatus(old)
	if !ok {
		return "", "", "-"
	}
	head, _, two := strings.Cut(string(st), "-")
	if !two {
		return old, "", "-"
	}
	// Count the letters of the first word; what stands between it and the next letter separates them.
	at, letters := 0, 0
	for letters < len(head) {
		if !isStatusSeparator(old[at]) {
			letters++
		}
		at++
	}
	rest := strings.TrimLeft(old[at:], " -_")
	return old[:at], rest, old[at : len(old)-len(rest)]
}

func capital(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

func capitalised(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// quoted writes a value of one line as YAML: within the quotation mark that is there already, or, where none is (0), plain if
// it reads back so, else in single quotes.
func quoted(mark byte, value string) string {
	switch mark {
	case '\'':
		return strings.ReplaceAll(value, "'", "''")
	case '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value)
	}
	var doc yaml.Node
	if err := strictYAML([]byte("key: "+value+"\n"), &doc); err == nil && len(doc.Content) == 1 && len(doc.Content[0].Content) == 2 {
		n := doc.Content[0].Content[1]
		comment := n.LineComment + n.HeadComment + n.FootComment + doc.Content[0].Content[0].FootComment
		if !oldBool(value) && n.Kind == yaml.ScalarNode && n.Style == 0 && n.Tag == "!!str" && n.Value == value && n.Anchor == "" && comment == "" {
			return value
		}
	}
	return "'" + strings.ReplaceAll(value, "'", "''") + "'"
}

// oldBool knows the words that other readers of YAML take for a truth value.
func oldBool(s string) bool {
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off":
		return true
	}
	return false
}
