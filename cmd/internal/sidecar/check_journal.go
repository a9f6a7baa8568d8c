package sidecar

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"slurm-ostrich/priority/journal"
)

// checkJournal looks at the journal's folder, and at the files in it as they
// will be opened. as is the user who must own them.
func (l *checklist) checkJournal(as string) {
	if as == "root" {
		as = "ostrich"
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
