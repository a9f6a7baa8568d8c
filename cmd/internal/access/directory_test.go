package access

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"slurm-ostrich/priority/slurm"
)

// Slurm is asked when somebody wants to know, beside the requests and not too often;
// if it does not answer, former rights count for a while, and then nobody has any.
func TestRights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked, failed atomic.Int64
		var away, ordinary atomic.Bool
		r := &Directory{now: time.Now, failed: func(error) { failed.Add(1) }, ask: func(context.Context) (slurm.Users, error) {
			asked.Add(1)
			time.Sleep(time.Second)
			if away.Load() {
				return slurm.Users{}, errors.New("no slurmdbd")
			}
			return slurm.Users{List: []slurm.User{{Name: "op", UID: 5, Operator: !ordinary.Load()}}, Private: map[bool][]string{true: {"usage", "jobs"}}[ordinary.Load()]}, nil
		}}
		check := func(when string, is bool, total, failures int64) {
			t.Helper()
			if got, ended := r.of(t.Context(), 5); got.Operator != is || ended != is {
				t.Errorf("%s: %+v, ended jobs of others are shown: %v", when, got, ended)
			}
			if asked.Load() != total || failed.Load() != failures {
				t.Errorf("%s: Slurm was asked %d times, want %d; told of %d failures, want %d", when, asked.Load(), total, failed.Load(), failures)
			}
			if stranger, _ := r.of(t.Context(), 6); stranger.Operator {
				t.Errorf("%s: a stranger is an operator", when)
			}
		}
		check("first", true, 1, 0)
		check("at once", true, 1, 0)
		time.Sleep(longestAge)
		ordinary.Store(true)
		check("after the operator is none any more", false, 2, 0)
		ordinary.Store(false)
		check("at once", false, 2, 0)
		time.Sleep(longestAge)
		check("again one", true, 3, 0)

		away.Store(true)
		time.Sleep(longestAge)
		check("slurmdbd is away", true, 4, 1)
		time.Sleep(pause)
		check("for longer", true, 5, 1)
		time.Sleep(lastsFor)
		check("for too long", false, 6, 1)
		away.Store(false)
		time.Sleep(pause)
		check("and back", true, 7, 1)
	})
}

// A request does not wait for a Slurm that hangs.
func TestRightsHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		var asked atomic.Int64
		r := &Directory{now: time.Now, failed: func(error) {}, ask: func(context.Context) (slurm.Users, error) {
			asked.Add(1)
			<-hang
			return slurm.Users{}, nil
		}}
		began := time.Now()
		for range 3 {
			r.of(t.Context(), 5)
		}
		if took := time.Since(began); took != 3*Patience || asked.Load() != 1 {
			t.Errorf("three requests took %v, and Slurm was asked %d times", took, asked.Load())
		}
		close(hang)
		synctest.Wait()
	})
}
