package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
)

// ErrNoObject is returned by Batch.Get for a name that is no object here.
var ErrNoObject = errors.New("no such object")

// Object is one object's id, type ("blob", "tree", "commit", "tag") and content.
type Object struct {
	ID, Type string
	Data     []byte
}

// Batch reads objects through one long-lived `git cat-file --batch`. It may be used from several goroutines.
type Batch struct {
	mu     sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	cancel context.CancelFunc
}

// Batch starts the reader; it ends with Close or with ctx.
func (r *Repo) Batch(ctx context.Context) (*Batch, error) {
	ctx, cancel := context.WithCancel(ctx)
	args := append(r.engineFlags(Call{}), "cat-file", "--batch")
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env, cmd.Dir = r.environ(Call{}), r.CommonDir
	in, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return &Batch{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10), cancel: cancel}, nil
}

// Get reads one object by any name that git understands (an id, "commit:path"). A name with a newline is refused.
func (b *Batch) Get(name string) (Object, error) {
	if strings.ContainsAny(name, "\n\x00") {
		return Object{}, fmt.Errorf("object name %q: %w", name, ErrNoObject)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := io.WriteString(b.in, name+"\n"); err != nil {
		return Object{}, fmt.Errorf("git cat-file: %w", err)
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return Object{}, fmt.Errorf("git cat-file: %w", err)
	}
	head = strings.TrimSuffix(head, "\n")
	if strings.HasSuffix(head, " missing") || strings.HasSuffix(head, " ambiguous") {
		return Object{}, fmt.Errorf("%s: %w", name, ErrNoObject)
	}
	var o Object
	var size int
	if _, err := fmt.Sscanf(head, "%s %s %d", &o.ID, &o.Type, &size); err != nil {
		return Object{}, fmt.Errorf("git cat-file answered %q: %w", head, err)
	}
	o.Data = make([]byte, size+1)
	if _, err := io.ReadFull(b.out, o.Data); err != nil {
		return Object{}, fmt.Errorf("git cat-file: %w", err)
	}
	o.Data = o.Data[:size]
	return o, nil
}

// Close ends the reader and waits for it.
func (b *Batch) Close() error {
	err := b.in.Close()
	b.cancel()
	// The reader was ended by us: how it exited says nothing.
	_ = b.cmd.Wait()
	return err
}
