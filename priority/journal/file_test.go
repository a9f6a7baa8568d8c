package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

const goodLine = `{"time":1,"job":1,"submit":1,"channel":"nice","from":0,"to":1,"result":"applied"}` + "\n"

// owned fails unless the file belongs to the user and group.
func owned(t *testing.T, name string, uid, gid uint32) {
	t.Helper()
	var is syscall.Stat_t
	if err := syscall.Lstat(name, &is); err != nil || is.Uid != uid || is.Gid != gid {
		t.Errorf("%s belongs to %d:%d, want %d:%d (%v)", filepath.Base(name), is.Uid, is.Gid, uid, gid, err)
	}
}

// content is what a file holds.
func content(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// put writes a file.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const daemonUser, daemonGroup = 12345, 54321

// foreignFolder is a folder of the daemon's user, for root.
func foreignFolder(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away; run the test as root")
	}
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chown(dir, daemonUser, daemonGroup)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestJournalOfRootBelongsToFolder: what root's commands leave, the daemon's
// user can open.
func TestJournalOfRootBelongsToFolder(t *testing.T) {
	dir := foreignFolder(t)
	path := filepath.Join(dir, "journal")
	j := openJournal(t, path)
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 1, Submit: 10, To: 1})
	if _, err := j.Rotate(1, -1, func(ostrich.JobID) bool { return true }); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + ".lock", path + ".1"} {
		owned(t, name, daemonUser, daemonGroup)
	}
}

// TestRootFollowsNothing puts into the daemon user's folder what that user can,
// in the place of each file that root would write.
func TestRootFollowsNothing(t *testing.T) {
	const secret = "one line without an end"
	for name, place := range map[string]func(target, at string) error{
		"link":         os.Symlink,
		"link to none": func(target, at string) error { return os.Symlink(target+"-new", at) },
		"link to link": func(target, at string) error {
			return errors.Join(os.Symlink(target, at+"-2"), os.Symlink(at+"-2", at))
		},
		"hard link":    os.Link,
		"pipe":         func(_, at string) error { return syscall.Mkfifo(at, 0o666) },
		"folder":       func(_, at string) error { return os.Mkdir(at, 0o777) },
		"file of root": func(_, at string) error { return os.WriteFile(at, []byte(secret), 0o666) },
		"somebody's": func(_, at string) error {
			return errors.Join(os.WriteFile(at, nil, 0o666), os.Chmod(at, 0o666), os.Chown(at, 777, 777))
		},
		"a device":      func(_, at string) error { return syscall.Mknod(at, syscall.S_IFCHR|0o666, 1<<8|3) },
		"an empty link": func(_, at string) error { return os.Symlink("/dev/null", at) },
	} {
		for _, suffix := range []string{"", ".lock"} {
			t.Run(name+" at journal"+suffix, func(t *testing.T) {
				dir := foreignFolder(t)
				target := filepath.Join(t.TempDir(), "target")
				put(t, target, secret)
				path := filepath.Join(dir, "journal")
				if err := place(target, path+suffix); errors.Is(err, syscall.EPERM) {
					t.Skip("not allowed here: ", err)
				} else if err != nil {
					t.Fatal(err)
				}
				if refused, _ := Check(path); refused == nil || !strings.Contains(refused.Error(), path+suffix) {
					t.Errorf("check: %v", refused)
				}
				if j, err := Open(path); err == nil || !strings.Contains(err.Error(), path+suffix) {
					t.Errorf("opened: %+v, %v", j, err)
				}
				if got := content(t, target); got != secret {
					t.Errorf("the target holds %q", got)
				}
				if _, err := os.Lstat(target + "-new"); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the target was created: %v", err)
				}
			})
		}
	}
}

// TestRotationFollowsNothing: links in the place of what a rotation writes are
// replaced, not followed.
func TestRotationFollowsNothing(t *testing.T) {
	dir := foreignFolder(t)
	path, target := filepath.Join(dir, "journal"), filepath.Join(t.TempDir(), "target")
	put(t, target, "mine")
	j := openJournal(t, path)
	for _, suffix := range []string{".new", ".1"} {
		if err := os.Symlink(target, path+suffix); err != nil {
			t.Fatal(err)
		}
	}
	if ok, err := j.Rotate(1, -1, func(ostrich.JobID) bool { return true }); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if got := content(t, target); got != "mine" {
		t.Errorf("the target holds %q", got)
	}
	owned(t, path+".1", daemonUser, daemonGroup)
}

// TestReadersWaitForNobody: a pipe in the place of the journal keeps no command
// waiting, and a link shows nothing of where it leads.
func TestReadersWaitForNobody(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	put(t, filepath.Join(dir, "target"), goodLine)
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink("target", link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, dir} {
		if j, err := Read(path); err == nil {
			t.Errorf("%s: read %+v", path, j)
		}
		if list, err := Tail(path, 5); err == nil || list != nil {
			t.Errorf("%s: %v, %v", path, list, err)
		}
	}
}

// TestBadJournalIsSetAside: what is no journal keeps its bytes under another
// name, and what is known from the lines that are records stays known.
func TestBadJournalIsSetAside(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		job1 bool
	}{
		"a bad line first":   {"nonsense\n" + goodLine, true},
		"a bad line last":    {goodLine + "nonsense\n", true},
		"a long line":        {goodLine + strings.Repeat("x", 3<<20) + "\n", true},
		"zeros":              {goodLine + string(make([]byte, 5000)) + "\n", true},
		"no line end at all": {"[section]\nkey=1", false},
		"half a line":        {goodLine[:20], false},
		"bytes":              {"\x00\xff\n\n\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal")
			put(t, path, tt.text)
			if refused, repaired := Check(path); refused != nil || repaired == nil {
				t.Errorf("check: %v, %v", refused, repaired)
			}
			j := openJournal(t, path)
			if err := j.Repaired(); err == nil || !strings.Contains(err.Error(), path+".bad") {
				t.Errorf("repaired: %v", err)
			}
			if err := j.Repaired(); err != nil {
				t.Errorf("told again: %v", err)
			}
			if got := content(t, path+".bad"); got != tt.text {
				t.Errorf("set aside: %.80q", got)
			}
			if got := j.knows(priority.Nice, 1); got.OK != tt.job1 {
				t.Errorf("job 1: %+v", got)
			}
			j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 2, Submit: 10, To: 6})
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			if refused, repaired := Check(path); refused != nil || repaired != nil {
				t.Errorf("check afterwards: %v, %v", refused, repaired)
			}
			again := openJournal(t, path)
			if got := again.knows(priority.Nice, 1); got.OK != tt.job1 || !again.knows(priority.Nice, 2).OK || again.Repaired() != nil {
				t.Errorf("after a new start: %+v", got)
			}
		})
	}
}

// TestJournalThatDisappears: what is written goes where the journal's name leads,
// whatever became of the file meanwhile, and nothing that was known is lost.
func TestJournalThatDisappears(t *testing.T) {
	for name, tt := range map[string]struct {
		meanwhile func(path string) error
		beside    string // what the found file is now
		known     bool   // job 9, of the file that was found
		says      string
	}{
		"removed":        {os.Remove, "", false, "it was removed"},
		"moved away":     {func(path string) error { return os.Rename(path, path+".moved") }, "", false, "it was removed"},
		"removed, both":  {func(path string) error { return errors.Join(os.Remove(path), os.Remove(path+".lock")) }, "", false, "it was removed"},
		"the lock alone": {func(path string) error { return os.Remove(path + ".lock") }, "", false, "the lock was removed or replaced"},
		"another lock": {func(path string) error {
			return errors.Join(os.Remove(path+".lock"), os.WriteFile(path+".lock", nil, 0o600))
		}, "", false, "the lock was removed or replaced"},
		"an empty file": {func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)) }, ".1", false, "it was replaced by another file"},
		"another journal": {func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, bytes.ReplaceAll([]byte(goodLine), []byte(`job":1`), []byte(`job":9`)), 0o600))
		}, ".1", true, "it was replaced by another file"},
		"something else": {func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, []byte("x\n"), 0o600)) }, ".bad", false, "journal:1: not a record"},
		"emptied":        {func(path string) error { return os.Truncate(path, 0) }, ".1", false, "another process changed it"},
		"cut":            {func(path string) error { return os.WriteFile(path, []byte(goodLine), 0o600) }, ".1", false, "another process changed it"},
		"an older one, known": {func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte(goodLine), 0o600))
		}, ".1", false, "it was replaced by another file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal")
			j := openJournal(t, path)
			j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 1, Submit: 1, From: 5, To: 7})
			if err := tt.meanwhile(path); err != nil {
				t.Fatal(err)
			}
			j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 2, Submit: 1, To: 6})
			if err := j.Repaired(); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("told: %v, want %q in it", err, tt.says)
			}
			if _, err := Open(path); !errors.Is(err, ErrLocked) {
				t.Errorf("a second writer: %v", err)
			}
			if tt.beside != "" {
				if _, err := os.Stat(path + tt.beside); err != nil {
					t.Error(err)
				}
			}
			reader, err := Read(path)
			if err != nil || reader.Repaired() != nil {
				t.Fatal(err)
			}
			if a, b := reader.knows(priority.Nice, 1), reader.knows(priority.Nice, 2); a != (known{5, 7, true}) || b != (known{0, 6, true}) {
				t.Errorf("known: %+v, %+v", a, b)
			}
			if _, _, ok := reader.Written(priority.Nice, 9); ok != tt.known {
				t.Errorf("job 9 known: %v", ok)
			}
		})
	}
}

// TestJournalOfASecondWriter: a writer that has lost the lock writes no more.
func TestJournalOfASecondWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 1, Submit: 1, To: 7})
	if err := errors.Join(os.Remove(path), os.Remove(path+".lock")); err != nil {
		t.Fatal(err)
	}
	second := openJournal(t, path)
	if err := j.Intend(1, priority.Nice, []priority.Change{{Job: 2, To: 1}}); !errors.Is(err, ErrLocked) {
		t.Errorf("the first still writes: %v", err)
	}
	second.write(t, priority.Nice, priority.Applied, priority.Change{Job: 3, Submit: 1, To: 7})
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	// It goes on once the other has left, with what both know.
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 2, Submit: 1, To: 1})
	for id := range ostrich.JobID(3) {
		if !j.knows(priority.Nice, id+1).OK {
			t.Errorf("job %d is not known", id+1)
		}
	}
	// Nor does it write where the name leads to nothing that it may open.
	if err := errors.Join(os.Remove(path), os.Symlink("elsewhere", path)); err != nil {
		t.Fatal(err)
	}
	if err := j.Intend(1, priority.Nice, []priority.Change{{Job: 2, To: 2}}); err == nil {
		t.Error("a link is followed")
	}
}

// TestJournalOfAWriterInBetween: a writer whose lock was removed goes on behind what
// another one wrote to the same file meanwhile, and knows it.
func TestJournalOfAWriterInBetween(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 1, Submit: 1, To: 7})
	if err := os.Remove(path + ".lock"); err != nil {
		t.Fatal(err)
	}
	between := openJournal(t, path)
	between.write(t, priority.Nice, priority.Applied, priority.Change{Job: 1, Submit: 1, From: 7, To: 8}, priority.Change{Job: 2, Submit: 1, To: 9})
	if err := between.Close(); err != nil {
		t.Fatal(err)
	}
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 3, Submit: 1, To: 6})

	// The same during a burst.
	burst := []priority.Change{{Job: 4, Submit: 1, To: 5}}
	if err := errors.Join(j.Intend(3, priority.Nice, burst), os.Remove(path+".lock")); err != nil {
		t.Fatal(err)
	}
	between = openJournal(t, path)
	between.write(t, priority.Nice, priority.Applied, priority.Change{Job: 5, Submit: 1, To: 4})
	if err := j.Conclude(3, priority.Nice, []priority.Change{burst[0].Outcome(priority.Applied, "")}); !errors.Is(err, ErrLocked) {
		t.Errorf("written beside another one: %v", err)
	}
	if err := between.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.Conclude(3, priority.Nice, []priority.Change{burst[0].Outcome(priority.Applied, "")}); err != nil {
		t.Fatal(err)
	}
	reader, err := Read(path)
	if err = errors.Join(err, reader.Repaired()); err != nil {
		t.Fatal(err)
	}
	for name, is := range map[string]*Journal{"the writer": j, "the file": reader} {
		for id, want := range map[ostrich.JobID]known{1: {0, 8, true}, 2: {0, 9, true}, 3: {0, 6, true}, 4: {0, 5, true}, 5: {0, 4, true}} {
			if got := is.knows(priority.Nice, id); got != want {
				t.Errorf("%s: job %d: %+v, want %+v", name, id, got, want)
			}
		}
	}
}

// TestRotationOfALongJournal: where what is known of jobs is longer than the limit, the
// journal is not written anew with every burst.
func TestRotationOfALongJournal(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	for id := range ostrich.JobID(100) {
		j.write(t, priority.Nice, priority.Applied, priority.Change{Job: id + 1, Submit: 1, To: 7})
	}
	const limit = 1000
	rotated := 0
	for id := range ostrich.JobID(10) {
		if done, err := j.Rotate(3, limit, func(ostrich.JobID) bool { return true }); err != nil {
			t.Fatal(err)
		} else if done {
			rotated++
		}
		j.write(t, priority.Nice, priority.Applied, priority.Change{Job: id + 1, Submit: 1, From: 7, To: 8})
	}
	if rotated < 2 || rotated > 4 {
		t.Errorf("rotated %d times while 10 writes were added", rotated)
	}
}

// TestFailedRotation: it leaves no half of a file, which on a full disk would take the
// room of the next records.
func TestFailedRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 1, Submit: 1, To: 7})
	if err := os.MkdirAll(path+".1/full", 0o755); err != nil {
		t.Fatal(err)
	}
	if done, err := j.Rotate(3, -1, func(ostrich.JobID) bool { return true }); done || err == nil {
		t.Errorf("rotated: %v, %v", done, err)
	}
	if _, err := os.Stat(path + ".new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
	j.write(t, priority.Nice, priority.Applied, priority.Change{Job: 2, Submit: 1, To: 7})
	if again, err := Read(path); err != nil || !again.knows(priority.Nice, 1).OK || !again.knows(priority.Nice, 2).OK {
		t.Errorf("forgotten after a rotation that failed: %v", err)
	}
}
