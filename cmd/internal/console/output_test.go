package console

import (
	"bytes"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWidth(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	if err = unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 77}); err != nil {
		t.Fatal(err)
	}
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	for _, tt := range []struct {
		columns                string
		terminal, file, buffer int
	}{
		{"", 77, 0, 0},
		{"100", 100, 100, 100},
		{"0", 77, 0, 0},
		{"-1", 77, 0, 0},
		{"wide", 77, 0, 0},
	} {
		t.Setenv("COLUMNS", tt.columns)
		if a, b, c := Width(terminal), Width(file), Width(new(bytes.Buffer)); a != tt.terminal || b != tt.file || c != tt.buffer {
			t.Errorf("COLUMNS=%s: %d %d %d, want %+v", tt.columns, a, b, c, tt)
		}
	}
}
