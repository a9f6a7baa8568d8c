package testbed_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestLeaving sees to it that a job that stops being managed, by whatever its
// owner does, loses the value that it was given, and that nothing else is lost.
func TestLeaving(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "leaving", "--set", "PriorityWeightAge=0", "--set", "PriorityCalcPeriod=60")
	// Nothing may start, wherever it is moved to.
	for _, name := range []string{"main", "debug"} {
		b.do(t, "root", "scontrol", "update", "partitionname="+name, "state=down")
	}
	b.do(t, "root", "sacctmgr", "-i", "add", "qos", "urgent")
	b.do(t, "root", "sacctmgr", "-i", "add", "user", "ob-alice", "account=bio")
	b.do(t, "root", "sacctmgr", "-i", "modify", "user", "ob-alice", "set", "qos+=urgent")
	b.do(t, "root", "scontrol", "create", "reservation", "reservationname=kept", "starttime=now", "duration=60", "users=ob-alice", "nodes=n4")

	through := []string{"--exclude-partitions", "debug", "--exclude-qos", "urgent", "--exclude-accounts", "bio"}
	for _, channel := range []string{"sitefactor", "nice", "priority"} {
		args := append([]string{"--priority-channel", channel}, through...)
		part(t, channel, func(t *testing.T) { b.testLeaving(t, channel, args) })
	}
}

// leave is a way out of management, as the owner of a job goes it. It returns
// the record that has left.
type leave struct {
	name string
	run  func(t *testing.T, id string) string
	args []string // settings from then on
	site bool     // in channel sitefactor only
}

func (b *bed) testLeaving(t *testing.T, channel string, args []string) {
	const owner = "ob-alice"
	update := func(what string) func(*testing.T, string) string {
		return func(t *testing.T, id string) string {
			t.Helper()
			b.do(t, owner, "scontrol", "update", "jobid="+id, what)
			return id
		}
	}
	ways := []leave{
		{name: "partition", run: update("partition=debug")},
		{name: "one of two partitions", run: update("partition=main,debug")},
		{name: "qos", run: update("qos=urgent")},
		{name: "account", run: update("account=bio")},
		{name: "reservation", run: update("reservationname=kept")},
		{name: "settings", run: func(_ *testing.T, id string) string { return id }, args: []string{"--exclude-users", owner}},
		{name: "held, moved and released", run: func(t *testing.T, id string) string {
			b.do(t, owner, "scontrol", "hold", id)
			update("partition=debug")(t, id)
			b.apply(t, args...) // what is held stays as it is
			if q := b.job(t, id); q.Priority != 0 {
				t.Errorf("held, and not any more: %+v", q)
			}
			b.do(t, owner, "scontrol", "release", id)
			return id
		}, site: true},
		{name: "task of an array", run: func(t *testing.T, id string) string {
			return b.split(t, owner, id, "partition=debug")
		}},
		{name: "task held while the array's value changes", run: func(t *testing.T, id string) string {
			task := b.split(t, owner, id, "name=apart")
			b.do(t, owner, "scontrol", "hold", task)
			other := b.submit(t, "ob-bob", "--time", "1")
			b.managed(t, 2, args...)
			b.apply(t, args...)
			b.do(t, "ob-bob", "scancel", other)
			b.do(t, owner, "scontrol", "update", "jobid="+task, "partition=debug")
			b.do(t, owner, "scontrol", "release", task)
			return task
		}, site: true},
		{name: "array too scattered to be named", run: func(t *testing.T, id string) string {
			var odd []string
			for n := 8401; n < 10000; n += 2 {
				odd = append(odd, strconv.Itoa(n))
			}
			if channel != "sitefactor" { // to begin later takes slurmctld a second, to hold two minutes
				b.do(t, owner, "scontrol", "update", "jobid="+id+"_["+strings.Join(odd, ",")+"]", "starttime=now+1day")
				odd = nil
			}
			for some := range slices.Chunk(odd, 50) {
				b.do(t, owner, "scontrol", "hold", id+"_["+strings.Join(some, ",")+"]")
			}
			if why := b.plan(t, args...).why(id); !strings.Contains(why, "too scattered") {
				t.Fatalf("the plan says %q of it", why)
			}
			return id
		}},
	}
	for _, way := range ways {
		if way.site && channel != "sitefactor" {
			continue // a hold ends a pin, and nice needs no second look
		}
		part(t, way.name, func(t *testing.T) {
			t.Cleanup(func() { b.empty(t) })
			var array []string
			switch {
			case strings.HasPrefix(way.name, "task"):
				array = []string{"--array=0-9"}
			case strings.HasPrefix(way.name, "array"):
				array = []string{"--array=8400-9999"}
			}
			other := b.submit(t, "ob-bob", "--partition=debug", "--nice=5")
			b.do(t, "root", "scontrol", "update", "jobid="+other, "sitefactor=777")
			stock := b.submit(t, owner, "--partition=debug", "--account=bio", "--qos=urgent")
			id := b.submit(t, owner, append(array, "--time", "10")...)
			b.managed(t, 1, args...)
			theirs, want := b.job(t, other), b.value(t, channel, stock)
			b.apply(t, args...)
			given := b.value(t, channel, id)
			if given == want {
				t.Fatalf("nothing was given: %+v", b.job(t, id))
			}

			left := way.run(t, id)
			eventually(t, "the job is eligible", func() string {
				q := b.job(t, left)
				return differ(true, q.Site != "" || channel != "sitefactor")
			})
			if now := b.value(t, channel, left); now != given && channel == "sitefactor" && !strings.Contains(way.name, "changes") {
				t.Errorf("the job left with %s, and had %s", now, given)
			}
			records := len(b.queue(t))
			after := slices.Concat(args, way.args)
			b.apply(t, after...)
			if now := b.value(t, channel, left); now != want {
				t.Errorf("the job still has %s of %s, want %s: %+v", now, given, want, b.job(t, left))
			}
			if now := len(b.queue(t)); now != records {
				t.Errorf("%d records, and %d after the value was taken back", records, now)
			}
			if q := b.job(t, other); q != theirs {
				t.Errorf("somebody else's job was %+v and is %+v", theirs, q)
			}
			if p := b.plan(t, after...); p.Summary.Writes != 0 {
				t.Errorf("%d writes are left: %+v", p.Summary.Writes, p.Jobs)
			}
		})
	}
}

// split gives a task of an array a record of its own, as its owner can, and
// returns the record's id.
func (b *bed) split(t *testing.T, owner, array, what string) string {
	t.Helper()
	b.do(t, owner, "scontrol", "update", "jobid="+array+"_5", what)
	for _, f := range b.lines(t, "squeue", "-h", "-a", "--array", "-t", "PENDING", "-o", "%A|%F|%K") {
		if f[1] == array && f[2] == "5" {
			return f[0]
		}
	}
	t.Fatalf("array %s has no task 5", array)
	return ""
}

// value is what a channel has of a job: "pinned" or "computed" in channel
// priority.
func (b *bed) value(t *testing.T, channel, id string) string {
	t.Helper()
	q := b.job(t, id)
	switch channel {
	case "sitefactor":
		return q.Site
	case "nice":
		return strconv.FormatInt(q.Nice, 10)
	}
	if q.Priority > 1<<20 {
		return "pinned"
	}
	return "computed"
}
