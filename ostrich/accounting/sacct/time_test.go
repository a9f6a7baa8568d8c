package sacct_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/accounting/sacct"
)

func zoned(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestParseTime(t *testing.T) {
	warsaw := zoned(t, "Europe/Warsaw")
	now := time.Date(2024, 3, 15, 14, 30, 20, 0, warsaw) // CET
	for _, tt := range []struct{ in, want string }{
		{"2024-03-01", "2024-03-01T00:00:00"},
		{"2024-3-1", "2024-03-01T00:00:00"},
		{"2024-03-01T10:20", "2024-03-01T10:20:00"},
		{"2024-03-01T10:20:30", "2024-03-01T10:20:30"},
		{"2024-03-01 10:20:30", "2024-03-01T10:20:30"},
		{"2024-02-29", "2024-02-29T00:00:00"},
		{"8:05", "2024-03-15T08:05:00"},
		{"23:59:59", "2024-03-15T23:59:59"}, // to come, but today
		{"8:05PM", "2024-03-15T20:05:00"},
		{"12:05 pm", "2024-03-15T12:05:00"},
		{"12:05 AM", "2024-03-15T00:05:00"},
		{"03/01", "2024-03-01T00:00:00"},
		{"03/20", "2024-03-20T00:00:00"}, // this month's, even if to come
		{"04/01", "2023-04-01T00:00:00"}, // a later month is last year's
		{"0301", "2024-03-01T00:00:00"},
		{"030122", "2022-03-01T00:00:00"},
		{"03/01/22", "2022-03-01T00:00:00"},
		{"3.1.22", "2022-03-01T00:00:00"},
		{"03/01-08:30", "2024-03-01T08:30:00"},
		{"03/01/22-08:30:15", "2022-03-01T08:30:15"},
		{"08:30 03/01", "2024-03-01T08:30:00"},
		{"today", "2024-03-15T00:00:00"},
		{"TODAY 9:00", "2024-03-15T09:00:00"},
		{"tomorrow", "2024-03-16T00:00:00"},
		{"midnight", "2024-03-15T00:00:00"},
		{"noon", "2024-03-15T12:00:00"},
		{"today NOON", "2024-03-15T12:00:00"},
		{"2022-07-01 noon", "2022-07-01T12:00:00"},
		{"now", "2024-03-15T14:30:20"},
		{"now-90", "2024-03-15T14:28:50"},
		{"now-1hour", "2024-03-15T13:30:20"},
		{"now - 2 days", "2024-03-13T14:30:20"},
		{"now+10minutes", "2024-03-15T14:40:20"},
		{"NOW-1Weeks", "2024-03-08T14:30:20"},
		{"now-52weeks", "2023-03-17T14:30:20"},
		{"uts1709287200", "2024-03-01T11:00:00"},
		{"2024-03-31T02:30", "2024-03-31T03:30:00"}, // does not exist
		{"2024-10-27T02:30", "2024-10-27T02:30:00"}, // exists twice
		{"  2024-03-01T10:20  ", "2024-03-01T10:20:00"},
		{"9999-12-31T23:59:59", "9999-12-31T23:59:59"},
		{"1970-01-02T00:00:00", "1970-01-02T00:00:00"},
		{"2024-03-01T0:05", "2024-03-01T00:05:00"},
		{"2024-03-01-10:20", "2024-03-01T10:20:00"},
		{"noon today", "2024-03-15T12:00:00"},
		{"12/31", "2023-12-31T00:00:00"},
		{"1231", "2023-12-31T00:00:00"},
		{"now-1day", "2024-03-14T14:30:20"},
		{"now+1second", "2024-03-15T14:30:21"},
		{"now -3600 seconds", "2024-03-15T13:30:20"},
		{"tomorrow noon", "2024-03-16T12:00:00"},
		{"2024-03-15T23:59:59", "2024-03-15T23:59:59"},
		{"1:00:00 am 2024-01-01", "2024-01-01T01:00:00"},
		{"01.02", "2024-01-02T00:00:00"},
		{"01.02.23 8:00", "2023-01-02T08:00:00"},
		{"2024-01-01T12:00 am", "2024-01-01T00:00:00"},
		{"2024-12-01", "2024-12-01T00:00:00"},
		{"now-0", "2024-03-15T14:30:20"},
		{"today-08:00", "2024-03-15T08:00:00"},
		{"\t2024-03-01\t10:20", "2024-03-01T10:20:00"},
		{"now-11000days", "1994-02-01T14:30:20"},
		{"midnight 0301", "2024-03-01T00:00:00"},
		{"2024-03-01T12:00PM", "2024-03-01T12:00:00"},
		{"2000-02-29T00:00:00", "2000-02-29T00:00:00"},
		{"now+1 weeks", "2024-03-22T14:30:20"},
		{"midnight 2024-03-15", "2024-03-15T00:00:00"},
		{"00:00", "2024-03-15T00:00:00"},
		{"0:00:00", "2024-03-15T00:00:00"},
		{"2024-03-10T10:00:00", "2024-03-10T10:00:00"},
		{"2024-04-10T10:00:00", "2024-04-10T10:00:00"},
		{"now-1hours", "2024-03-15T13:30:20"},
		{"uts1000000", "1970-01-12T14:46:40"},
		{"2024-03-31T03:00", "2024-03-31T03:00:00"},    // the first that exists
		{"2024-03-31T01:59:59", "2024-03-31T01:59:59"}, // the last before
		{"2024-10-27T03:00:00", "2024-10-27T03:00:00"}, // the first that is one again
		{"2024-10-27T01:59:59", "2024-10-27T01:59:59"}, // the last that is one
		{"12:00:00 PM", "2024-03-15T12:00:00"},
		{"1PM 2024-03-15", ""}, // Slurm needs minutes
		{"2024-02-30", ""},
		{"02/29/23", ""},
		{"13/01", ""}, // not in the calendar
		{"", ""},
		{" ", ""},
		{"-", ""},
		{"T", ""},
		{"yesterday", ""},
		{"teatime", ""}, // Slurm has it
		{"03123:30", ""},
		{"1231-08:30", ""}, // 1231 is a year
		{"now*2", ""},
		{"now-", ""},
		{"now-x", ""},
		{"now-1fortnight", ""},
		{"25:00", ""},
		{"10:60", ""},
		{"10:5", ""},
		{"13:00pm", ""},
		{"13:00 am", ""},
		{"2024-03", ""},
		{"1969-12-31", ""},
		{"2024/03/01", ""},
		{"uts5", ""},
		{"uts", ""},
		{"now-60000days", ""},
		{"noon midnight", ""},
		{"today tomorrow", ""},
		{"now noon", ""},
		{"noon now", ""},
		{"2024-03-01T10:00:00Z", ""},
		{"now-99999999999999999999", ""},
		{"5", ""},
		{"0", ""},
		{"10:20:3", ""},
		{"03/01/2", ""},
	} {
		got, err := sacct.ParseTime(tt.in, now, warsaw)
		if tt.want == "" {
			if err == nil {
				t.Errorf("%q: %d, want an error", tt.in, got)
			} else if !strings.Contains(err.Error(), "time \"") {
				t.Errorf("%q: error %q does not say of what", tt.in, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", tt.in, err)
			continue
		}
		if shown := time.Unix(int64(got), 0).In(warsaw).Format("2006-01-02T15:04:05"); shown != tt.want {
			t.Errorf("%q: %s, want %s", tt.in, shown, tt.want)
		}
	}
}

// TestParseTimeRoundTrip reads back every time of a zone that exists once, and
// of two the first.
func TestParseTimeRoundTrip(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Warsaw", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu"} {
		loc := zoned(t, name)
		rapid.Check(t, func(t *rapid.T) {
			const change = 1_729_990_800 // about when the clocks of Warsaw go back in 2024
			unix := rapid.OneOf(rapid.Int64Range(1, 4e9), rapid.Int64Range(change-8000, change+8000)).Draw(t, "unix")
			text := time.Unix(unix, 0).In(loc).Format("2006-01-02T15:04:05")
			if strings.HasPrefix(text, "1969") {
				return
			}
			got, err := sacct.ParseTime(text, time.Unix(0, 0), loc)
			if err != nil {
				t.Fatal(err)
			}
			if again := time.Unix(int64(got), 0).In(loc).Format("2006-01-02T15:04:05"); again != text || int64(got) > unix {
				t.Errorf("%s of %d in %s became %d, %s", text, unix, name, got, again)
			}
		})
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2024-03-01T10:20:30", "now-3days", "8:05 PM 03/01/22", "0301", "3.1.22", "03/01-08:30", "tomorrow", "uts1709287200", "today noon"} {
		f.Add(s)
	}
	now := time.Date(2024, 3, 15, 14, 30, 20, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		got, err := sacct.ParseTime(s, now, nil)
		if err != nil && got != 0 || err == nil && (got <= 0 || got > 253402300799+1e12) {
			t.Errorf("%q: %d, %v", s, got, err)
		}
	})
}

// TestParseTimeSays: the error says what a time looks like.
func TestParseTimeSays(t *testing.T) {
	_, err := sacct.ParseTime("yesterday", time.Unix(1e9, 0), nil)
	if want := `time "yesterday": not a time such as 2024-03-01T10:00:00, 03/01, today or now-3days, at "yesterday"`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
