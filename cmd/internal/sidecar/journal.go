package sidecar

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// JournalError is an error of the journal.
type JournalError struct{ Err error }

func (e JournalError) Error() string { return e.Err.Error() }
func (e JournalError) Unwrap() error { return e.Err }

// journaled marks errors of the journal; nil stays nil.
func journaled(err error) error {
	if err == nil {
		return nil
	}
	return JournalError{err}
}

// readJournal opens the journal for reading if it holds anything of this cluster;
// otherwise it returns nil. The journal knows which jobs Slurm refused to change.
// In channel priority it also distinguishes our pins from those of administrators, so
// only there a journal that cannot be read is an error.
func readJournal(c *configuration.Config) (*journal.Journal, error) {
	if c.Journal == "" || c.Foreign() != "" {
		return nil, nil
	}
	j, err := journal.Read(c.Journal)
	switch {
	case err == nil:
		return j, nil
	case c.Priority.Channel == priority.Priority:
		return nil, journaled(err)
	}
	return nil, nil
}

// alive returns a function that reports whether the journal has to remember a job:
// the job, or a task of its array, has not ended.
func (s *Sidecar) alive() func(ostrich.JobID) bool {
	waits := sync.OnceValue(s.waits)
	return func(id ostrich.JobID) bool {
		_, known := s.accounting.Record(id)
		return known || s.provisional.has(id) || waits()[id]
	}
}

// waits returns the job arrays with unfinished tasks that accounting knows, and the
// jobs of the queue with their arrays: accounting may not know them, or no more.
func (s *Sidecar) waits() map[ostrich.JobID]bool {
	live := make(map[ostrich.JobID]bool)
	for _, r := range s.accounting.Live() {
		live[r.ArrayJob] = true
	}
	for i := range s.printed {
		live[s.printed[i].Job], live[s.printed[i].Array] = true, true
	}
	return live
}

// checkJournal looks at the journal's folder, and at the files in it as they
// will be opened. The user whose rights are checked must own them.
func (l *checklist) checkJournal() {
	as := l.as
	if _, absent := user.Lookup(as); as == "root" || absent != nil {
		as = ServiceUser(&l.Config)
	}
	dir := filepath.Dir(l.Journal)
	info, err := os.Stat(dir)
	switch {
	case l.Journal == "":
		l.add("journal", Warn, "set journal to a file in a folder that belongs to "+as+", before mode enforce", "none")
		return
	case err != nil:
		l.add("journal", Warn, fmt.Sprintf("create the folder before mode enforce: install -d -o %s %s", as, dir), "%v", err)
		return
	case !info.IsDir():
		l.add("journal", Fail, "set journal to a file in a folder", "%s is no folder", dir)
		return
	case l.byOther && owned(info, as):
		l.ok("journal", "%s, whose folder belongs to %s; what is in it is not looked at, as %s runs this", l.Journal, as, l.me)
		return
	case l.byOther:
		l.add("journal", Warn, fmt.Sprintf("chown %s %s", as, dir), "%s does not belong to %s", dir, as)
		return
	case unix.Access(dir, unix.W_OK) != nil:
		l.add("journal", Warn, fmt.Sprintf("chown %s %s", as, dir), "%s is not writable for this user", dir)
		return
	}
	switch refused, repaired := journal.Check(l.Journal); {
	case refused != nil:
		l.add("journal", Fail, "remove it, or let it be a regular file of the folder's owner: ostrichd creates what is missing", "%v", refused)
	case repaired != nil:
		l.add("journal", Warn, "nothing: ostrichd sets the file aside as "+l.Journal+".bad and goes on with the lines that are records", "%v", repaired)
	default:
		l.ok("journal", "%s", l.Journal)
	}
}

// owned reports whether a file belongs to a user.
func owned(info os.FileInfo, name string) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	u, err := user.Lookup(name)
	return ok && err == nil && u.Uid == strconv.FormatUint(uint64(of.Uid), 10)
}
