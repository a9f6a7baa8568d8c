package console

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
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

// TestBarGoesOn: what stands for a while shows how long it has taken.
func TestBarGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		at, done := bar(&out, "waiting", 0)
		time.Sleep(1500 * time.Millisecond)
		at(1, 1000)
		time.Sleep(5 * time.Second)
		done()
		if drawn := out.String(); !strings.Contains(drawn, "[3s:") || !strings.Contains(drawn, "[4s:") {
			t.Errorf("drew %q", drawn)
		}
	})
}
