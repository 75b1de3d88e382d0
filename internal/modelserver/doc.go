// Package modelserver plays a language model on loopback, by a script: it speaks the wire protocols of the providers that
// coding agents talk to, checks each request against what the script expects, and keeps every request's bytes. Tests drive
// real agents with it; nothing of Tendril itself uses it.
package modelserver
