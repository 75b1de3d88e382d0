//go:build agents

package agentstest

import (
	"net/http"
	"time"

	"tendril/internal/modelserver"
)

// rateLimit is a limit that names no end.
func rateLimit(time.Time) modelserver.Answer {
	return modelserver.Fail(http.StatusTooManyRequests, "Rate limit reached")
}

const slowStart = "it starts slowly"

var gemini = agent{name: "gemini", configure: func(r *rig) {
	r.set("GEMINI_API_KEY", "no-key")
	r.set("GOOGLE_GEMINI_BASE_URL", r.server.URL())
	r.writeHome(".gemini/settings.json", `{
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false},
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 3},
  "model": {"name": "gemini-2.5-pro"}
}
`)
}, logOut: func(r *rig) { r.set("GEMINI_API_KEY", "") }, limit: rateLimit, endless: true, slow: map[string]string{
	"TestALimitThatNamesItsEnd": "it tries again for a minute",
}, mended: []row{
	// Its protocol tells of no cache that was written. By the table: 1.25, 0.125 from the cache, 10 a million.
	uses("gemini", "gemini-2.5-pro", 2406, 8103, -1, 63, 100, "0.005650375", "priced"),
	uses("gemini", "gemini-2.5-pro", 1314, 16507, -1, 69, 119, "0.005585875", "priced"),
}}

var copilot = agent{name: "copilot", configure: func(r *rig) {
	r.set("COPILOT_OFFLINE", "true")
	r.set("COPILOT_PROVIDER_BASE_URL", r.server.URL()+"/v1")
	r.set("COPILOT_PROVIDER_API_KEY", "no-key")
	r.set("COPILOT_MODEL", "scripted")
}, logOut: func(r *rig) {
	for _, name := range []string{"COPILOT_OFFLINE", "COPILOT_PROVIDER_BASE_URL", "COPILOT_PROVIDER_API_KEY"} {
		r.set(name, "")
	}
}, limit: rateLimit, endless: true, denied: "make greeting", slow: map[string]string{
	"TestALimitThatNamesItsEnd": "it tries again for a minute",
}, mended: []row{
	uses("copilot", "scripted", 203, 8103, 2203, 63, 100, "", "unknown"),
	uses("copilot", "scripted", 207, 16507, 1107, 69, 119, "", "unknown"),
}}

var opencode = agent{name: "opencode", configure: func(r *rig) {
	r.set("OPENAI_API_KEY", "no-key")
	r.writeHome(".config/opencode/opencode.json", `{
  "model": "scripted/scripted",
  "small_model": "scripted/scripted",
  "autoupdate": false,
  "share": "disabled",
  "provider": {"scripted": {
    "npm": "@ai-sdk/openai-compatible", "name": "scripted",
    "options": {"baseURL": "`+r.server.URL()+`/v1", "apiKey": "{env:OPENAI_API_KEY}"},
    "models": {"scripted": {"name": "scripted", "cost": {"input": 1, "output": 4, "cache_read": 0.1, "cache_write": 1.25}}}
  }}
}
`)
}, logOut: func(r *rig) { r.set("OPENAI_API_KEY", "") }, limit: rateLimit, endless: true, asks: []string{"registry."}, slow: map[string]string{
	"TestALimitThatNamesItsEnd": "it tries again for minutes",
	// Its start costs ten seconds of a processor.
	"TestTroubleThatPasses": slowStart, "TestASilentServer": slowStart, "TestALongPlanAndALongAnswer": slowStart,
	"TestNotLoggedIn": slowStart, "TestAKeyThatIsRefused": slowStart, "TestAFailingCheckIsMendedInTheSameSession/opencode/edit": slowStart,
}, mended: []row{
	uses("opencode", "", 2406, 8103, 0, 63, 100, "0.0038683", "reported"),
	uses("opencode", "", 1314, 16507, 0, 69, 119, "0.0037167", "reported"),
}}
