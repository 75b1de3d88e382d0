package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"tendril/internal/proc"
)

// reader is one `git cat-file --batch-command` for all that is read of a repository's objects: it is started with the first
// question and lives until close. Questions of several goroutines take turns.
type reader struct {
	mu   sync.Mutex
	live *readerProcess
}

// readerProcess is the process with its pipes. What git says on its standard error is read once it has ended: a pipe holds
// more than it has to say, and nobody has to wait beside it meanwhile.
type readerProcess struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *os.File
}

// readerWords is how much of what git says on its standard error is kept, readerDrain how long that is waited for once git
// has ended: what fetches for a partial clone has it too.
const (
	readerWords = 4 << 10
	readerDrain = time.Second
)

// startReader starts git in a session of its own: Ctrl-C is for this process, which ends git by closing its input, as its
// death does too.
func (r *Repo) startReader() (*readerProcess, error) {
	cmd := exec.Command("git", append(r.engineFlags(Call{}), "cat-file", "--batch-command", "--buffer")...)
	cmd.Env, cmd.Dir = r.environ(Call{}), r.CommonDir
	proc.OwnGroup(cmd)
	p := &readerProcess{cmd: cmd}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	stderr, theirs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	defer func() { _ = theirs.Close() }() // git has its own
	cmd.Stderr = theirs
	if err := cmd.Start(); err != nil {
		_ = stderr.Close()
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	p.in, p.out, p.stderr = in, bufio.NewReaderSize(out, 64<<10), stderr
	return p, nil
}

// end ends the process, with what it started, and returns what it said on its standard error. How it ended says nothing: it
// was told to.
func (p *readerProcess) end() (words string) {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = proc.TerminateGroup(p.cmd.Process.Pid)
	_ = p.cmd.Wait()
	// Something that git started may hold the pipe open still; where there are no deadlines, it is gone with the group.
	_ = p.stderr.SetReadDeadline(time.Now().Add(readerDrain))
	said, _ := io.ReadAll(io.LimitReader(p.stderr, readerWords))
	_ = p.stderr.Close()
	return strings.TrimSpace(string(said))
}

// close ends the process; the next question starts another.
func (rd *reader) close() {
	rd.mu.Lock()
	defer rd.mu.Unlock()
	rd.drop()
}

// drop ends the process, where there is one, and returns what it said on its standard error.
func (rd *reader) drop() (words string) {
	if rd.live == nil {
		return ""
	}
	words, rd.live = rd.live.end(), nil
	return words
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
		words := rd.drop()
		var broken *brokenReader
		switch {
		case !errors.As(err, &broken):
			return err
		case try > 0 && words != "":
			return &Error{Args: []string{"cat-file"}, ExitCode: -1, Stderr: words}
		case try > 0:
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
		if nothingThere(head) {
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

// nothingThere reports whether an answer says that a name is no object here: newer versions of git say of a submodule's commit
// what it is.
func nothingThere(head string) bool {
	for _, word := range [...]string{" missing", " ambiguous", " submodule"} {
		if strings.HasSuffix(head, word) {
			return true
		}
	}
	return false
}

const (
	askContents = "contents "
	askInfo     = "info "
)
