package emulated

import (
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
)

// fairshare is the association tree, one user beside the other, with the usage
// that decays.
type fairshare struct {
	users []User
	index map[ostrich.UserID]int
	usage []float64    // processor-seconds, by index
	parts []float64    // of the usage when priorities were last computed
	rate  float64      // what is left of usage after a second
	at    ostrich.Time // when it was last decayed
}

func newFairshare(users []User, halfLife ostrich.Duration) fairshare {
	f := fairshare{
		users: users, index: make(map[ostrich.UserID]int, len(users)),
		usage: make([]float64, len(users)), parts: make([]float64, len(users)),
		// Slurm's own number: 0.693 for ln 2.
		rate: 1 - 0.693/float64(halfLife),
	}
	for i, u := range users {
		f.index[u.UID] = i
	}
	return f
}

func (f *fairshare) name(user ostrich.UserID) string {
	if i, ok := f.index[user]; ok {
		return f.users[i].Name
	}
	return fmt.Sprint(user)
}

// decay lets the usage fall up to now.
func (f *fairshare) decay(now ostrich.Time) {
	left := math.Pow(f.rate, float64(now-f.at))
	for i := range f.usage {
		f.usage[i] *= left
	}
	f.at = now
}

// book counts what a job has used since it was last counted.
func (f *fairshare) book(j *Job, now ostrich.Time) {
	if i, ok := f.index[j.User]; ok {
		f.usage[i] += float64(now-j.counted) * float64(j.Procs)
	}
	j.counted = now
}

// settle makes the usage so far count from now on.
func (f *fairshare) settle() {
	sum := 0.0
	for _, u := range f.usage {
		sum += u
	}
	for i, u := range f.usage {
		f.parts[i] = 0
		if sum > 0 {
			f.parts[i] = u / sum
		}
	}
}

// factor is F = 2^(−U/S). Without any usage it is 1.
func (f *fairshare) factor(user ostrich.UserID) float64 {
	i, ok := f.index[user]
	if !ok {
		return 0 // as for a job without an association
	}
	return math.Exp2(-f.parts[i] * float64(len(f.users)))
}
