package sacct_test

import (
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/sacct"
)

// TestReadClocks reads times around the changes of the clocks of Warsaw in
// 2024: on 31 March 02:00 became 03:00, on 27 October 03:00 became 02:00.
func TestReadClocks(t *testing.T) {
	const (
		spring = ostrich.Time(1711846800) // 2024-03-31T01:00Z, 03:00 there
		autumn = ostrich.Time(1729990800) // 2024-10-27T01:00Z, 02:00 there for the second time
	)
	for _, tt := range []struct {
		name, submit, start, end, elapsed string
		want                              [3]ostrich.Time
		notes                             []string
	}{
		{
			"over the change in spring", "2024-03-31T01:00:00", "2024-03-31T01:30:00", "2024-03-31T03:30:00", "01:00:00",
			[3]ostrich.Time{spring - 3600, spring - 1800, spring + 1800},
			nil,
		},
		{
			"over the change in autumn", "2024-10-27T01:00:00", "2024-10-27T01:30:00", "2024-10-27T03:30:00", "03:00:00",
			[3]ostrich.Time{autumn - 7200, autumn - 5400, autumn + 5400},
			nil,
		},
		{
			"does not exist", "2024-03-31T01:00:00", "2024-03-31T02:30:00", "2024-03-31T04:30:00", "01:00:00",
			[3]ostrich.Time{spring - 3600, spring + 1800, spring + 5400},
			[]string{"1 time does not exist in Europe/Warsaw"},
		},
		{
			"end twice, the first", "2024-10-27T01:00:00", "2024-10-27T01:30:00", "2024-10-27T02:30:00", "01:00:00",
			[3]ostrich.Time{autumn - 7200, autumn - 5400, autumn - 1800},
			[]string{"1 time exists twice in Europe/Warsaw, where the clocks were put back: the job's elapsed time told which."},
		},
		{
			"end twice, the second", "2024-10-27T01:00:00", "2024-10-27T01:30:00", "2024-10-27T02:30:00", "02:00:00",
			[3]ostrich.Time{autumn - 7200, autumn - 5400, autumn + 1800},
			[]string{"1 time exists twice in Europe/Warsaw, where the clocks were put back: the job's elapsed time told which."},
		},
		{
			"both twice, over the change", "2024-10-27T01:00:00", "2024-10-27T02:30:00", "2024-10-27T02:10:00", "00:40:00",
			[3]ostrich.Time{autumn - 7200, autumn - 1800, autumn + 600},
			[]string{"2 times exist twice in Europe/Warsaw, where the clocks were put back: the job's elapsed time told which."},
		},
		{
			"start twice, and suspended", "2024-10-27T01:00:00", "2024-10-27T02:30:00", "2024-10-27T05:00:00", "00:10:00",
			[3]ostrich.Time{autumn - 7200, autumn - 1800, autumn + 10800},
			[]string{"1 time exists twice in Europe/Warsaw, where the clocks were put back: taken as the first."},
		},
		{
			"submitted twice", "2024-10-27T02:30:00", "2024-10-27T03:30:00", "2024-10-27T04:30:00", "01:00:00",
			[3]ostrich.Time{autumn - 1800, autumn + 5400, autumn + 9000},
			[]string{"1 time exists twice in Europe/Warsaw, where the clocks were put back: taken as the first."},
		},
		{
			"not near a change", "2024-06-01T02:30:00", "2024-06-01T02:30:00", "2024-06-01T03:30:00", "01:00:00",
			[3]ostrich.Time{1717201800, 1717201800, 1717205400},
			nil,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := line(fieldSubmit, tt.submit, fieldEligible, "Unknown", fieldStart, tt.start, fieldEnd, tt.end, fieldElapsed, tt.elapsed)
			h, err := sacct.Read(strings.NewReader(text), "dump", sacct.Options{Location: zoned(t, "Europe/Warsaw")})
			if err != nil {
				t.Fatal(err)
			}
			j := h.Jobs[0]
			if got := [3]ostrich.Time{j.Submit, j.Start, j.End}; got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
			if len(h.Notes) != len(tt.notes) || len(tt.notes) > 0 && !strings.HasPrefix(h.Notes[0], tt.notes[0]) {
				t.Errorf("notes %q, want %q", h.Notes, tt.notes)
			}
		})
	}
}

// TestReadStartBeforeSubmission reads starts that are before their submissions on
// the clock.
func TestReadStartBeforeSubmission(t *testing.T) {
	const utc, warsaw = "UTC", "Europe/Warsaw"
	autumn := func(clock string) string { return "2024-10-27T" + clock }
	job := func(id, submit, start, end, elapsed, state string) string {
		return line(fieldID, id, fieldID+1, id, fieldSubmit, submit, fieldEligible, submit, fieldStart, start, fieldEnd, end, fieldElapsed, elapsed, fieldState, state)
	}
	running := job("7", autumn("02:50:00"), autumn("02:10:00"), "Unknown", "00:05:00", "RUNNING")
	for _, tt := range []struct {
		name, text, zone string
		waits            ostrich.Time
		note             string
	}{
		{"clocks put back between the two", job("7", autumn("02:50:00"), autumn("02:10:00"), autumn("03:10:00"), "01:00:00", "COMPLETED"), warsaw, 1200, "2 times exist twice"},
		{"and still runs", running, warsaw, 1200, "told which"},
		{"the same in the wrong zone", running, utc, 0, "1 job starts up to an hour before its submission, as if the clocks had been put back in between: " +
			"taken to start with it. The dump seems not to be in UTC: name its zone with --timezone."},
		{"a second is no clock", job("7", autumn("12:00:01"), autumn("12:00:00"), autumn("13:00:00"), "01:00:00", "COMPLETED"), utc, 0, ""},
		{
			"resized", job("7", autumn("12:00:00"), autumn("12:10:00"), autumn("12:30:00"), "00:20:00", "RESIZING") + "\n" +
				job("7", autumn("12:30:00"), autumn("12:10:00"), autumn("13:10:00"), "01:00:00", "COMPLETED"),
			utc, 600, "1 job was resized while running",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := sacct.Read(strings.NewReader(tt.text), "dump", sacct.Options{Location: zoned(t, tt.zone)})
			if err != nil {
				t.Fatal(err)
			}
			if got := h.Jobs[0].Start - h.Jobs[0].Submit; got != tt.waits {
				t.Errorf("waits %d s, want %d", got, tt.waits)
			}
			if notes := strings.Join(h.Notes, "\n"); !strings.Contains(notes, tt.note) || len(h.Notes) > 1 || tt.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}
