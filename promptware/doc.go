// Package promptware holds the units of promptware: what an agent is told to do, as files that a person may change.
//
// A Unit is a Program.md (front matter and instructions); its defaults are in the binary, the plans branch may carry its
// own. Prompt renders a unit for one run. Values that come from a plan, a check or a reviewer are put in verbatim; only the
// unit's own text is ever read as a template.
package promptware
