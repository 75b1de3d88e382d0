package lifecycle

import (
	"strings"

	"tendril/internal/redact"
)

// shortestSecret is the length below which a value is too ordinary to be looked for.
const shortestSecret = 8

// secretValues are the values of the variables that are named like secrets: none of them may enter a commit.
func secretValues(environ []string) []string {
	var values []string
	for _, kv := range environ {
		name, value, ok := strings.Cut(kv, "=")
		if ok && len(value) >= shortestSecret && redact.SecretName(name) {
			values = append(values, value)
		}
	}
	return values
}
