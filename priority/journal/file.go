package journal

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/priority/privilege"
)

// Open opens a journal for writing and creates it if needed. It removes a last
// line that a crash cut off. It sets aside a file with other lines that are not
// records, see Repaired.
func Open(path string) (*Journal, error) {
	as, err := privilege.Of(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{path: path, as: as}
	if err = j.acquire(); err != nil {
		return nil, err
	}
	if err = j.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("journal: %w", err), j.Close())
	}
	return j, nil
}

func (j *Journal) acquire() error {
	lock, err := openFile(j.as, j.path+".lock", os.O_RDWR|os.O_CREATE)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = ErrLocked
	case err != nil:
		err = fmt.Errorf("lock: %w", err)
	case !isAt(lock, lock.Name()):
		err = fmt.Errorf("%w: its lock was replaced", ErrLocked)
	default:
		j.lock = lock
		return nil
	}
	return errors.Join(fmt.Errorf("journal %s: %w", j.path, err), lock.Close())
}

func (j *Journal) open() error {
	file, err := openFile(j.as, j.path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	j.file = file
	is, err := load(file, j.path)
	if err != nil {
		return err
	}
	j.jobs, j.size = is.jobs, is.size
	for _, w := range j.jobs {
		w.words, w.dropped, w.refused = "", 0, retry{} // a new start tries again
	}
	if is.bad != nil {
		return j.begin(is.latest, ".bad", is.bad)
	}
	if err = file.Truncate(j.size); err != nil {
		return err
	}
	_, err = file.Seek(j.size, io.SeekStart)
	return err
}

// keep makes sure that the next record will be found: that the journal's names
// still lead to the open files, and that the file ends where our last record does.
// If somebody removed or replaced them, another process may be writing the journal,
// or may have written it.
func (j *Journal) keep(now ostrich.Time) error {
	if j.file == nil || j.lock == nil {
		return nil
	}
	if !isAt(j.lock, j.lock.Name()) {
		before := j.lock
		if err := j.acquire(); err != nil {
			return err
		}
		j.repaired = fmt.Errorf("journal %s: the lock was removed or replaced; it is locked again", j.path)
		_ = before.Close() // It locks a file that no other process can find.
	}
	same, longer := isAt(j.file, j.path), false
	if same {
		info, err := j.file.Stat()
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		if info.Size() == j.size {
			return nil
		}
		longer = info.Size() > j.size
	}
	why, beside := errors.New("it was removed"), ""
	file, err := openFile(j.as, j.path, os.O_RDWR)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("journal: %w", err)
	default:
		is, err := load(file, j.path)
		if err = errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		why, beside = errors.New("it was replaced by another file"), ".1"
		if same {
			why = errors.New("another process changed it")
		}
		if is.bad != nil {
			why, beside = is.bad, ".bad"
		}
		for key, w := range is.jobs {
			if longer || j.jobs[key] == nil { // what stands behind our records is newer
				j.jobs[key] = w
			}
		}
	}
	if err := j.begin(now, beside, why); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// begin starts a new file with all that is known of jobs. The present file keeps
// its name with the suffix added.
func (j *Journal) begin(now ostrich.Time, suffix string, why error) error {
	_, recs := j.carried(now, func(ostrich.JobID) bool { return true })
	text, err := encode(recs)
	if err != nil {
		return err
	}
	if err = j.replace(text, suffix); err != nil {
		return err
	}
	aside := ""
	if suffix != "" {
		aside = "; the file is now " + j.path + suffix
	}
	j.repaired = plural.Errorf("journal %s: %w%s, and a new one begins with what is known of %d job{|s}", j.path, why, aside, len(j.jobs))
	return nil
}

// Repaired returns what was wrong with the journal's files and was repaired since
// the last call, or nil.
func (j *Journal) Repaired() error {
	err := j.repaired
	j.repaired = nil
	return err
}

// Read opens a journal for reading only. A missing journal is empty. Read skips
// lines that are not records; Repaired returns the first.
func Read(path string) (*Journal, error) {
	j := &Journal{path: path, jobs: make(map[subject]*written)}
	file, err := openToRead(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("journal: %w", err)
	case file == nil:
		return j, nil
	}
	is, err := load(file, path)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j.size, j.jobs = is.size, is.jobs
	if is.bad != nil {
		j.repaired = fmt.Errorf("journal: %w; such lines are passed over", is.bad)
	}
	return j, nil
}

// Check returns why Open would refuse the journal, and what it would repair. It
// changes nothing.
func Check(path string) (refused, repaired error) {
	as, err := privilege.Of(filepath.Dir(path))
	if err != nil {
		return err, nil
	}
	for _, name := range []string{path, path + ".lock"} {
		file, err := openFile(as, name, os.O_RDWR)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err, nil
		}
		if name == path {
			var is loaded
			is, err = load(file, path)
			repaired = is.bad
		}
		if err = errors.Join(err, file.Close()); err != nil {
			return err, nil
		}
	}
	for _, name := range []string{path + ".1", path + ".bad", path + ".new"} {
		if info, err := os.Lstat(name); err == nil && info.IsDir() {
			return fmt.Errorf("%s: a folder is where a file will be", name), nil
		}
	}
	return nil, repaired
}

// loaded is the content of a journal's file.
type loaded struct {
	jobs   map[subject]*written
	size   int64        // bytes of whole lines
	latest ostrich.Time // of the records
	bad    error        // the first line that is not a record, except a torn last line after records; else nil
}

// mostLine is the longest line that is read. A record has some hundred bytes and
// Slurm's words.
const mostLine = 1 << 20

// load reads the records. If there are none, a torn last line does not show that
// the file is a journal.
func load(r io.Reader, path string) (loaded, error) {
	is := loaded{jobs: make(map[subject]*written)}
	records, n := 0, 1
	torn, err := eachLine(r, func(line []byte, length int64) {
		is.size += length
		rec, err := Record{}, errors.New("longer than any record")
		if line != nil {
			rec, err = parseRecord(line)
		}
		if err != nil {
			is.bad = cmp.Or(is.bad, fmt.Errorf("%s:%d: %w", path, n, err))
		} else {
			records++
			is.latest = max(is.latest, rec.Time)
			apply(is.jobs, rec)
		}
		n++
	})
	if torn && records == 0 {
		is.bad = cmp.Or(is.bad, fmt.Errorf("%s:%d: no record in it", path, n))
	}
	return is, err
}

// eachLine visits the whole lines of a file, with their lengths. A line longer than any
// record is nil. torn reports whether the file ends inside a line.
func eachLine(r io.Reader, visit func(line []byte, length int64)) (torn bool, err error) {
	in := bufio.NewReaderSize(r, mostLine)
	for {
		line, err := in.ReadSlice('\n')
		length, long := int64(len(line)), errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = in.ReadSlice('\n')
			length += int64(len(line))
		}
		switch {
		case errors.Is(err, io.EOF):
			return length > 0, nil
		case err != nil:
			return false, err
		case long:
			line = nil
		}
		visit(line, length)
	}
}

// replace replaces the present file by one with the text. The present file, if
// any, keeps its name with the suffix added. At every moment the journal's name
// leads to a whole file.
func (j *Journal) replace(text []byte, suffix string) error {
	return j.as.Do(func() error {
		next := j.path + ".new"
		if err := remove(next); err != nil {
			return err
		}
		file, err := os.OpenFile(next, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o640)
		if err != nil {
			return err
		}
		if err = writeSync(file, text); err == nil && suffix != "" {
			if err = remove(j.path + suffix); err == nil {
				err = os.Link(j.path, j.path+suffix)
			}
		}
		if err == nil {
			err = os.Rename(next, j.path)
		}
		if err != nil {
			return errors.Join(err, file.Close(), remove(next))
		}
		_ = j.file.Close() // Everything in it is on disk.
		j.file, j.size, j.carries = file, int64(len(text)), int64(len(text))
		folder, err := os.Open(filepath.Dir(j.path))
		if err != nil {
			return err
		}
		return errors.Join(folder.Sync(), folder.Close())
	})
}

// remove removes a file, if there is one.
func remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// openToRead opens a file of the journal. It returns nil if the file is missing, but not
// its folder.
func openToRead(path string) (*os.File, error) {
	as, err := privilege.Of(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	file, err := openFile(as, path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return file, err
}

// openFile opens a file of the journal with the owner's rights. It follows no
// link and does not wait for the other end of a pipe. For writing, it opens only
// files that belong to the running user or to the owner of the folder.
func openFile(as privilege.Owner, path string, flag int) (file *os.File, err error) {
	err = as.Do(func() error {
		file, err = os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o640)
		return err
	})
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s: is a symbolic link, and none is followed; let the setting name the file itself", path)
	}
	if err != nil {
		return nil, err
	}
	if err = ownFile(as, file, flag != os.O_RDONLY); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return file, nil
}

// ownFile returns why an open file does not belong to the journal, or nil.
func ownFile(as privilege.Owner, file *os.File, write bool) error {
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("is a directory")
	case !info.Mode().IsRegular():
		return errors.New("is no regular file")
	case !write:
		return nil
	}
	folder, err := os.Stat(filepath.Dir(file.Name()))
	if err != nil {
		return err
	}
	is, found := info.Sys().(*syscall.Stat_t)
	holds, known := folder.Sys().(*syscall.Stat_t)
	if !found || !known {
		return nil // no owners on this system
	}
	who := os.Geteuid()
	if as != (privilege.Owner{}) {
		who = as.UID
	}
	if int(is.Uid) != who && is.Uid != holds.Uid {
		return fmt.Errorf("belongs to user %d, and its folder to %d; chown it, or remove it", is.Uid, holds.Uid)
	}
	return nil
}

// isAt reports whether a name still leads to an open file.
func isAt(file *os.File, name string) bool {
	is, err := file.Stat()
	at, bad := os.Lstat(name)
	return err == nil && bad == nil && os.SameFile(is, at)
}
