package proc

import "os"

// keySignals come from the person's keyboard, and are meant for the program that has the terminal.
func keySignals() []os.Signal { return []os.Signal{os.Interrupt} }

// tellSignals tell this process to end; there are none here.
func tellSignals() []os.Signal { return nil }

// heedless is for systems that stop a process which sets the terminal from the background.
func heedless() (end func()) { return func() {} }
