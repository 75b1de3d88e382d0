// Command bench measures what Tendril costs against the same work done by plain git (or by the unavoidable system
// calls): both sides in one run, alternating, on new files, medians of at least five, the ratio against a target.
// Absolute times drift with the machine; the ratio is the message. scripts/bench starts it.
//
// A case is one value in cases(): a file of its own says how its two sides are made.
package main
