package sidecar

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"slurm-ostrich/priority/journal"
)

// checkJournal looks at the journal's folder, and at the files in it as they
// will be opened.
func (l *checklist) checkJournal(c Config) {
	dir := filepath.Dir(c.Journal)
	info, err := os.Stat(dir)
	switch {
	case c.Journal == "" && c.Mode == Enforce:
		l.add("journal", Fail, "set journal", "none, and mode enforce writes one")
		return
	case c.Journal == "":
		l.add("journal", Warn, "set journal before mode enforce", "none")
		return
	case err != nil:
		l.add("journal", Warn, "create the folder before mode enforce: install -d -o ostrich "+dir, "%v", err)
		return
	case !info.IsDir():
		l.add("journal", Fail, "set journal to a file in a folder", "%s is no folder", dir)
		return
	case unix.Access(dir, unix.W_OK) != nil:
		l.add("journal", Warn, "let the user of ostrichd own it", "%s is not writable for this user", dir)
		return
	}
	switch refused, repaired := journal.Check(c.Journal); {
	case refused != nil:
		l.add("journal", Fail, "let a regular file of the folder's owner be there, or none: ostrichd creates it", "%v", refused)
	case repaired != nil:
		l.add("journal", Warn, "nothing: ostrichd sets the file aside as "+c.Journal+".bad and goes on with the lines that are records", "%v", repaired)
	default:
		l.ok("journal", "%s", c.Journal)
	}
}
