package redact

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// MinValue is the least length of a variable's value that is taken for a secret, in bytes: "yes" and "true" are none.
const MinValue = 8

// secretWords make a variable's name one of a secret, as a whole word between underscores.
var secretWords = map[string]bool{
	"TOKEN": true, "TOKENS": true, "SECRET": true, "SECRETS": true, "PASSWORD": true, "PASSWORDS": true, "PASSWD": true, "PASS": true,
	"PASSPHRASE": true, "KEY": true, "KEYS": true, "APIKEY": true, "CREDENTIAL": true, "CREDENTIALS": true, "CREDS": true,
	"AUTHTOKEN": true, "PAT": true, "PGPASSWORD": true, "JWT": true, "COOKIE": true,
}

// placeWords, at the end of a name, say that the value is where the secret is, not the secret.
var placeWords = map[string]bool{"FILE": true, "PATH": true, "DIR": true, "SOCK": true, "HELPER": true}

// SecretName reports whether a variable of that name holds a secret, going by the name alone.
func SecretName(name string) bool {
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	if len(words) == 0 || placeWords[words[len(words)-1]] {
		return false
	}
	return slices.ContainsFunc(words, func(w string) bool { return secretWords[w] })
}

// New returns a redactor for the secrets in an environment ("NAME=value"), by SecretName, and for further values. Values
// shorter than MinValue are ignored. A value is also found as base64 and as in a URL.
func New(environ []string, values ...string) *Redactor {
	r := &Redactor{}
	for _, kv := range environ {
		if name, v, _ := strings.Cut(kv, "="); SecretName(name) {
			r.add("value of $"+name, v)
		}
	}
	for _, v := range values {
		r.add("a secret value", v)
	}
	// Longer ones first, so that a value that contains another names the place.
	slices.SortStableFunc(r.values, func(a, b value) int { return cmp.Compare(len(b.text), len(a.text)) })
	return r
}

func (r *Redactor) add(name, v string) {
	v = strings.TrimSpace(v)
	if len(v) < MinValue {
		return
	}
	forms := []string{v, base64.StdEncoding.EncodeToString([]byte(v)), url.QueryEscape(v), url.PathEscape(v)}
	for _, f := range forms {
		known := slices.ContainsFunc(r.values, func(k value) bool { return k.text == f })
		if !known {
			r.values = append(r.values, value{name, f})
		}
	}
}
