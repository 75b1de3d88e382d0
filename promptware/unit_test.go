package promptware

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestBuiltinUnits(t *testing.T) {
	t.Parallel()
	if !slices.Contains(Names(), ExecutePlan) {
		t.Errorf("names %v", Names())
	}
	for _, name := range Names() {
		u, err := Load(name, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if u.Name != name || u.Version != 1 || u.Override {
			t.Errorf("%+v", u)
		}
		// What eject writes out is read back as the same unit.
		src, ok := Source(name)
		if !ok {
			t.Errorf("%s: no source", name)
		}
		if u, err := Load(name, src); err != nil || !u.Override {
			t.Errorf("%+v, %v", u, err)
		}
		if strings.Contains(string(src), "\r") {
			t.Errorf("%s: CRLF", name)
		}
	}
}

func TestLoadAnOverride(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"plain":                        "---\nversion: 1\nprofile: deep\ntools: [lint.sh]\nlimits: {time_limit: 90m, stall: 10m}\n---\nDo {{.Key}}.\n",
		"CRLF and a byte order mark":   "\ufeff---\r\nversion: 1\r\nprofile: deep\r\ntools: [lint.sh]\r\nlimits: {time_limit: 90m, stall: 10m}\r\n---\r\nDo {{.Key}}.\r\n",
		"a rule in the body is a rule": "---\nversion: 1\nprofile: deep\ntools: [lint.sh]\nlimits: {time_limit: 90m, stall: 10m}\n---\nDo {{.Key}}.\n\n---\n",
	} {
		u, err := Load("ExecutePlan", []byte(src))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if u.Profile != "deep" || !slices.Equal(u.Tools, []string{"lint.sh"}) || u.Limits != (Limits{90 * time.Minute, 10 * time.Minute}) || !u.Override {
			t.Errorf("%s: %+v", name, u)
		}
		out, err := u.Prompt(input())
		if err != nil || !strings.HasPrefix(string(out), "Do 0007-add-search.\n") {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	const head = "---\nversion: 1\n---\n"
	for name, c := range map[string]struct{ src, want string }{
		"no front matter":           {"Do it.\n", ":1: no front matter"},
		"no end":                    {"---\nversion: 1\nDo it.\n", ":1: the front matter has no end"},
		"an indented fence":         {"---\nversion: 1\n ---\nDo it.\n", ":1: the front matter has no end"},
		"no version":                {"---\nprofile: deep\n---\nx", "version: missing"},
		"a newer version":           {"---\nversion: 2\n---\nx", "version 2: this tendril reads version 1"},
		"an unknown key":            {"---\nversion: 1\nprofil: deep\n---\nx", "field profil not found"},
		"a key twice":               {"---\nversion: 1\nversion: 1\n---\nx", "already defined"},
		"a broken length of time":   {"---\nversion: 1\nlimits: {stall: 5}\n---\nx", "5"},
		"a tool that leads away":    {"---\nversion: 1\ntools: [../x]\n---\nx", "tools: \"../x\""},
		"an unknown name":           {head + "ok\n{{.Plam}}\n", ":5: "},
		"an unknown name in an if":  {head + "{{if .Resumed}}\n\n{{.Plam}}{{end}}\n", ":6: "},
		"an unknown name in a list": {head + "{{range .Notes}}{{.Nome}}{{end}}\n", "Nome"},
		"a function that is none":   {head + "{{env \"HOME\"}}\n", ":4: function \"env\" not defined"},
		"a template left open":      {head + "\n{{if .Resumed}}\n", "unexpected EOF"},
	} {
		_, err := Load("ExecutePlan", []byte(c.src))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "ExecutePlan/Program.md:") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for _, name := range []string{"", "executePlan", "../x", "Execute Plan", "Nobody"} {
		if _, err := Load(name, nil); err == nil {
			t.Errorf("there is a unit %q", name)
		}
	}
}
