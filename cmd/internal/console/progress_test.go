package console

import (
	"bytes"
	"strings"
	"testing"
)

func TestProgressNotOnAFile(t *testing.T) {
	var out bytes.Buffer
	at, done := Progress(&out, "waiting")
	at(1, 2)
	done()
	if out.Len() != 0 {
		t.Errorf("wrote %q to what is no terminal", &out)
	}
}

func TestBar(t *testing.T) {
	var out bytes.Buffer
	at, done := bar(&out, "waiting", 0)
	at(0, 0) // nothing is known yet
	at(5, 10)
	at(4, 10) // late
	at(10, 10)
	done()
	drawn := out.String()
	at(30, 40)
	if out.String() != drawn {
		t.Error("drew after the end")
	}
	if !strings.Contains(drawn, "waiting") || !strings.Contains(drawn, "50%") || strings.Contains(drawn, "40%") {
		t.Errorf("drew %q", drawn)
	}
	if strings.Contains(drawn, "\n") {
		t.Errorf("left a line behind: %q", drawn)
	}
}
