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
	"time"
)

// reader is one `git cat-file --batch-command` for all that is read of a repository's objects: it is started with the first
// question and lives until close. Questions of several goroutines take turns.
type reader struct {
	mu   sync.Mutex
	live *readerProcess
}

// readerProcess is the process with its pipes.
type readerProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startReader starts git in a session of its own: Ctrl-C is for this process, which ends git by closing its input, as its
// death does too.
func (r *Repo) startReader() (*readerProcess, error) {
	cmd := exec.Command("git", append(r.engineFlags(Call{}), "cat-file", "--batch-command", "--buffer")...)
	cmd.Env, cmd.Dir = r.environ(Call{}), r.CommonDir
	detachFromTerminal(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return &readerProcess{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}, nil
}

// end closes the input and waits; a process that was told to stop by that says nothing that matters.
func (p *readerProcess) end() {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// close ends the process; the next question starts another.
func (rd *reader) close() {
	rd.mu.Lock()
	defer rd.mu.Unlock()
	rd.drop()
}

func (rd *reader) drop() {
	if rd.live != nil {
		rd.live.end()
		rd.live = nil
	}
}

// readerTimeout is how long one round of questions may take: git may fetch what a partial clone lacks.
const readerTimeout = DefaultTimeout

// ask puts the questions ("info NAME", "contents NAME") and hands every answer to take, in their order. A process that died
// since the last round is replaced once; what take was given by then is not given again.
func (rd *reader) ask(ctx context.Context, r *Repo, questions []string, take func(i int, o Object, size int64, missing bool) error) error {
	rd.mu.Lock()
	defer rd.mu.Unlock()
	done := 0
	for try := 0; ; try++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if rd.live == nil {
			live, err := r.startReader()
			if err != nil {
				return err
			}
			rd.live = live
		}
		err := rd.round(ctx, questions[done:], func(i int, o Object, size int64, missing bool) error {
			done++
			return take(done-1, o, size, missing)
		})
		if err == nil {
			return nil
		}
		rd.drop()
		var broken *brokenReader
		if !errors.As(err, &broken) || try > 0 {
			return err
		}
	}
}

// brokenReader says that the process did not answer as it should.
type brokenReader struct{ err error }

func (b *brokenReader) Error() string { return "git cat-file: " + b.err.Error() }

func (b *brokenReader) Unwrap() error { return b.err }

// round writes the questions while it reads the answers: git may have to be emptied before it takes more.
func (rd *reader) round(ctx context.Context, questions []string, take func(int, Object, int64, bool) error) error {
	live := rd.live
	ctx, cancel := context.WithTimeout(ctx, readerTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		// Ends the reading below; who asked learns why from ctx.
		_ = live.cmd.Process.Kill()
	})
	defer stop()
	wrote := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(live.in, 32<<10)
		for _, q := range questions {
			// A failure stays with the writer, and Flush tells it.
			_, _ = w.WriteString(q)
			_ = w.WriteByte('\n')
		}
		_, _ = w.WriteString("flush\n")
		wrote <- w.Flush()
	}()
	err := live.answers(questions, take)
	if err != nil {
		// Whoever still writes must come to an end.
		_ = live.cmd.Process.Kill()
	}
	writeErr := <-wrote
	switch {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("git cat-file took longer than %s and was ended", readerTimeout.Round(time.Second))
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case writeErr != nil:
		return &brokenReader{writeErr}
	}
	return nil
}

// answers reads one answer for each question.
func (p *readerProcess) answers(questions []string, take func(int, Object, int64, bool) error) error {
	for i, q := range questions {
		head, err := p.out.ReadString('\n')
		if err != nil {
			return &brokenReader{err}
		}
		head = strings.TrimSuffix(head, "\n")
		if strings.HasSuffix(head, " missing") || strings.HasSuffix(head, " ambiguous") {
			if err := take(i, Object{}, 0, true); err != nil {
				return err
			}
			continue
		}
		var o Object
		var size int64
		if _, err := fmt.Sscanf(head, "%s %s %d", &o.ID, &o.Type, &size); err != nil {
			return fmt.Errorf("git cat-file answered %.80q: %w", head, err)
		}
		if strings.HasPrefix(q, askContents) {
			o.Data = make([]byte, size+1)
			if _, err := io.ReadFull(p.out, o.Data); err != nil {
				return &brokenReader{err}
			}
			o.Data = o.Data[:size:size]
		}
		if err := take(i, o, size, false); err != nil {
			return err
		}
	}
	return nil
}

const (
	askContents = "contents "
	askInfo     = "info "
)
