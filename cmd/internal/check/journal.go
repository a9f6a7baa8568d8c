package check

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

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

// checkOrphans looks for them in the queue.
func (l *checklist) checkOrphans(ctx context.Context, controller priority.Controller) {
	if l.Journal == "" || l.Foreign() != "" {
		return
	}
	j, err := journal.Read(l.Journal)
	if err != nil {
		return // checkJournal tells.
	}
	queue, err := l.Commands().Queue(ctx)
	if err != nil {
		l.add("values", Fail, "do as said of the first line", "those of the queue are not known: %v", err)
		return
	}
	found, sure := j.Orphans(l.PlanOptions(controller), queue, 0)
	if len(found) > 0 && (sure || j.Empty() && l.Priority.Channel == priority.SiteFactor) && !l.Takeover {
		l.add("values", Warn, "let ostrichd run, which takes them over within a term of the lock if nobody changes them; else "+sidecar.Mend(false),
			"%d job{|s} {has|have} values that a daemon may have left and that %s does not know; not ordered", len(found), l.Journal)
	}
}
