package cmd

import (
	"strings"

	"github.com/urfave/cli/v2"

	"tendril/plans"
)

// fitting are the suggestions that begin with what was typed. A number fits the keys that it is, or may become, short for.
func fitting(word string, all []suggestion) []suggestion {
	var out []suggestion
	for _, s := range all {
		own := s.value == suggestFiles || s.value == suggestFolders
		if own || strings.HasPrefix(s.value, word) || numberFits(word, s.value, false) {
			out = append(out, s)
		}
	}
	return out
}

// numberFits says whether digits are the beginning of a key's number, zeroes in front left out; all of it with whole.
func numberFits(digits, value string, whole bool) bool {
	key, err := plans.ParseKey(value)
	if err != nil || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	number, _, _ := strings.Cut(string(key), "-")
	number, digits = strings.TrimLeft(number, "0"), strings.TrimLeft(digits, "0")
	if whole {
		return number == digits
	}
	return digits != "" && strings.HasPrefix(number, digits)
}

func commandSuggestions(list []*cli.Command) []suggestion {
	var out []suggestion
	for _, c := range list {
		if !c.Hidden {
			out = append(out, suggestion{c.Name, c.Usage})
		}
	}
	return out
}

// helpSuggestions are what help explains.
func helpSuggestions(app *cli.App) []suggestion {
	out := commandSuggestions(app.Commands)
	for _, name := range topicNames() {
		out = append(out, suggestion{name, topicTitle(name)})
	}
	return out
}

func statusSuggestions() []suggestion {
	var out []suggestion
	for _, s := range plans.Statuses() {
		out = append(out, suggestion{value: string(s)})
	}
	return out
}

// named are suggestions without a word about them.
func named(values []string) []suggestion {
	out := make([]suggestion, len(values))
	for i, v := range values {
		out[i] = suggestion{value: v}
	}
	return out
}

// prefixAll puts a prefix in front of the values; what asks the shell for files stays.
func prefixAll(prefix string, all []suggestion) []suggestion {
	for i := range all {
		if all[i].value != suggestFiles && all[i].value != suggestFolders {
			all[i].value = prefix + all[i].value
		}
	}
	return all
}

// statusAndTitle says what is known of a plan; either may be empty.
func statusAndTitle(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ": " + b
}
