package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// holds fails unless the folder holds just these files, by name and content.
func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = string(data)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("folder holds %v, want %v", got, want)
	}
}

func TestWriteReplacesWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	for _, s := range []string{"first, and longer", "second"} {
		if err := Write(path, text(s)); err != nil {
			t.Fatal(err)
		}
		holds(t, dir, map[string]string{"a.csv": s})
	}
}

func TestWriteThatFailsLeavesWhatWasThere(t *testing.T) {
	broken := errors.New("out of numbers")
	half := func(w io.Writer) error { return errors.Join(text("ha")(w), broken) }
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	if err := Write(path, half); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	holds(t, dir, nil)
	if err := Write(path, text("good")); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, half); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	holds(t, dir, map[string]string{"a.csv": "good"})
}

func TestWriteKeepsLinksAndPermissions(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(target, []byte("old"), 0o600), os.Symlink("target", link)); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, text("new")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.Readlink(link); got != "target" || err != nil {
		t.Errorf("the link reads %q, %v", got, err)
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, %v; want 0600", info.Mode(), err)
	}
	holds(t, dir, map[string]string{"target": "new", "link": "new"})
}

// TestWriteNewTakesFromOthers: what others must not read they cannot read either where the file was there before. The owner's
// and the group's permissions stay, and Write takes nothing away.
func TestWriteNewTakesFromOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names")
	for _, tt := range []struct{ fresh, before, want fs.FileMode }{
		{0o640, 0o644, 0o640}, {0o640, 0o664, 0o660}, {0o640, 0o600, 0o600}, {0o666, 0o644, 0o644}, {0o666, 0o755, 0o755},
	} {
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, tt.before), WriteNew(path, tt.fresh, text("new"))); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != tt.want {
			t.Errorf("fresh %o, before %o: now %v, %v; want %o", tt.fresh, tt.before, info.Mode(), err, tt.want)
		}
	}
}

// A link to nothing is what /dev/stdout is in a process without a standard output.
func TestWriteKeepsLinkToNothing(t *testing.T) {
	link := filepath.Join(t.TempDir(), "stdout")
	if err := os.Symlink("/proc/self/fd/4711", link); err != nil {
		t.Fatal(err)
	}
	var named *fs.PathError
	if err := Write(link, text("new")); !errors.As(err, &named) || named.Path != link {
		t.Errorf("error %v, want one that names the link", err)
	}
	if got, err := os.Readlink(link); got != "/proc/self/fd/4711" || err != nil {
		t.Errorf("the link reads %q, %v", got, err)
	}
}

func TestWriteIntoPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	read := make(chan string)
	go func() {
		data, err := os.ReadFile(path)
		read <- fmt.Sprint(string(data), err)
	}()
	if err := Write(path, text("row\n")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "row\n<nil>" {
		t.Errorf("the reader got %q", got)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe became %v, %v", info, err)
	}
}

func TestWriteIntoStandardOutput(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "redirected"))
	if err != nil {
		t.Fatal(err)
	}
	defer func(before *os.File) { os.Stdout = before }(os.Stdout)
	os.Stdout = out
	if err := text("before\n")(out); err != nil {
		t.Fatal(err)
	}
	if err := Write(out.Name(), text("rows\n")); err != nil {
		t.Fatal(err)
	}
	if err := text("after\n")(out); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(out.Name()); string(data) != "before\nrows\nafter\n" || err != nil {
		t.Errorf("standard output holds %q, %v", data, err)
	}
}

func TestWriteIntoFolder(t *testing.T) {
	if err := Write(t.TempDir(), text("rows")); err == nil {
		t.Error("no error")
	}
}

func TestErrorsNameTheTarget(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	full := func(w io.Writer) error {
		return &fs.PathError{Op: "write", Path: w.(*os.File).Name(), Err: syscall.ENOSPC}
	}
	if err := Write(path, full); err == nil || err.Error() != "write "+path+": no space left on device" {
		t.Errorf("error %v", err)
	}
	holds(t, dir, nil)
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(dir, "new")} {
		if err := Check(path); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "none", "new"), filepath.Join(file, "new")} {
		var named *fs.PathError
		if err := Check(path); !errors.As(err, &named) || named.Path != path {
			t.Errorf("%s: error %v", path, err)
		}
	}
	holds(t, dir, map[string]string{"file": ""})
}
