package cmd

import "os"

// endSignals end the engine; agents go on.
func endSignals() []os.Signal { return []os.Signal{os.Interrupt} }
