package runners

import "github.com/google/uuid"

// sessionSpace is the name space of the sessions that Tendril names (RFC 9562, version 5).
var sessionSpace = uuid.MustParse("5b2f6b7e-6d0c-4a55-9b1c-3f1f0a7d2c11")

// sessionOf is the session id for agents that take one ({{.NewSession}}). It follows from the run's id, so that it is the
// same however often it is asked for, and no other run's.
func sessionOf(run string) string { return uuid.NewSHA1(sessionSpace, []byte(run)).String() }
