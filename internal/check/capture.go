package check

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	"tendril/internal/proc"
)

// drainLimit bounds the wait for the rest of the output after everything that was found is ended.
const drainLimit = 2 * time.Second

// capture carries a check's output from one pipe, so that stdout and stderr keep their order, into the log. Only this
// process writes the log: a check that opens /dev/stdout anew cannot cut it short.
type capture struct {
	childEnd *os.File
	from     *os.File
	done     chan error

	log     *os.File
	sum     hash.Hash
	tail    *proc.Tail
	tests   *testScanner
	written int64
	limit   int64
	flood   func()
}

// captured is what came out of it.
type captured struct {
	tail    []byte
	sum     string
	noTests bool
}

// startCapture opens the log and begins to carry. flood is called when more than limit bytes came, maybe again; what comes after
// is dropped.
func startCapture(log string, limit int64, flood func()) (*capture, error) {
	f, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	// One that was there already may have had another mode.
	if err := f.Chmod(0o600); err != nil {
		_ = f.Close() // nothing was written
		return nil, fmt.Errorf("log: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, fmt.Errorf("pipe for output: %w", err)
	}
	c := &capture{
		childEnd: w, from: r, done: make(chan error, 1), log: f, sum: sha256.New(), tail: proc.NewTail(TailLimit),
		tests: &testScanner{}, limit: limit, flood: flood,
	}
	go c.carry()
	return c, nil
}

func (c *capture) carry() {
	_, err := io.CopyBuffer(struct{ io.Writer }{c}, struct{ io.Reader }{c.from}, make([]byte, 64<<10))
	c.done <- err
}

// Write takes a piece of the output. It always takes all of it, lest a check blocks on a full pipe, unless the log cannot
// be written.
func (c *capture) Write(p []byte) (int, error) {
	n := len(p)
	if room := c.limit - c.written; int64(len(p)) > room {
		c.flood()
		p = p[:max(room, 0)]
	}
	if len(p) == 0 {
		return n, nil
	}
	c.written += int64(len(p))
	if _, err := c.log.Write(p); err != nil {
		c.flood()
		return 0, fmt.Errorf("log: %w", err)
	}
	c.sum.Write(p)
	_, _ = c.tail.Write(p) // never fails
	c.tests.write(p)
	return n, nil
}

// finish waits for the rest of the output and closes the log.
func (c *capture) finish() (captured, error) {
	_ = c.childEnd.Close() // the children had their own
	limit := time.NewTimer(drainLimit)
	defer limit.Stop()
	var err error
	select {
	case err = <-c.done:
	case <-limit.C:
		// Something that could not be found holds the pipe still: closing our end ends the carrying.
		_ = c.from.Close()
		<-c.done
	}
	_ = c.from.Close() // read only
	if closeErr := c.log.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("log: %w", closeErr)
	}
	return captured{tail: plainText(c.tail.Bytes()), sum: hex.EncodeToString(c.sum.Sum(nil)), noTests: c.tests.none()}, err
}
