package redact

import "regexp"

// rule is one kind of secret: literal is looked for first, because that is fast; pattern, anchored, must then match from
// back bytes before the literal on.
type rule struct {
	name    string
	literal string
	pattern *regexp.Regexp
}

// rules are the kinds that are told by their looks. Every pattern begins with its literal and asks for as much as real
// tokens have, so that prose about "sk-" or "AKIA" is none.
var rules = []rule{
	{"github token", "ghp_", regexp.MustCompile(`^ghp_[A-Za-z0-9]{36,}`)},
	{"github token", "gho_", regexp.MustCompile(`^gho_[A-Za-z0-9]{36,}`)},
	{"github token", "ghu_", regexp.MustCompile(`^ghu_[A-Za-z0-9]{36,}`)},
	{"github token", "ghs_", regexp.MustCompile(`^ghs_[A-Za-z0-9]{36,}`)},
	{"github token", "ghr_", regexp.MustCompile(`^ghr_[A-Za-z0-9]{36,}`)},
	{"github token", "github_pat_", regexp.MustCompile(`^github_pat_[A-Za-z0-9_]{30,}`)},
	{"gitlab token", "glpat-", regexp.MustCompile(`^glpat-[A-Za-z0-9_-]{20,}`)},
	{"anthropic key", "sk-ant-", regexp.MustCompile(`^sk-ant-[A-Za-z0-9_-]{20,}`)},
	{"api key", "sk-", regexp.MustCompile(`^sk-(?:proj-|svcacct-|or-v1-)?[A-Za-z0-9_]*[A-Za-z0-9]{20,}[A-Za-z0-9_-]*`)},
	{"stripe key", "sk_live_", regexp.MustCompile(`^sk_live_[A-Za-z0-9]{16,}`)},
	{"stripe key", "rk_live_", regexp.MustCompile(`^rk_live_[A-Za-z0-9]{16,}`)},
	{"aws access key", "AKIA", regexp.MustCompile(`^AKIA[A-Z0-9]{16}\b`)},
	{"aws access key", "ASIA", regexp.MustCompile(`^ASIA[A-Z0-9]{16}\b`)},
	{"google api key", "AIza", regexp.MustCompile(`^AIza[A-Za-z0-9_-]{35}`)},
	{"google oauth secret", "GOCSPX-", regexp.MustCompile(`^GOCSPX-[A-Za-z0-9_-]{20,}`)},
	{"slack token", "xox", regexp.MustCompile(`^xox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"slack webhook", "https://hooks.slack.com/", regexp.MustCompile(`^https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_+-]{20,}`)},
	{"npm token", "npm_", regexp.MustCompile(`^npm_[A-Za-z0-9]{36}`)},
	{"pypi token", "pypi-AgEI", regexp.MustCompile(`^pypi-AgEI[A-Za-z0-9_-]{50,}`)},
	{"hugging face token", "hf_", regexp.MustCompile(`^hf_[A-Za-z0-9]{34,}`)},
	{"private key", "-----BEGIN ", regexp.MustCompile(`(?s)^-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[\\rn\s]*[A-Za-z0-9+/=:, -]{16}.*?(?:-----END [A-Z0-9 ]+-----|\z))`)},
	{"json web token", "eyJ", regexp.MustCompile(`^eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
}
