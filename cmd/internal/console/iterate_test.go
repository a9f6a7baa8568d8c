package console

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Repeating ends with a signal. An error of the first time ends it, later ones are said.
func TestIterate(t *testing.T) {
	away := errors.New("away")
	for _, tt := range []struct {
		name  string
		errs  []error // of one call after the other, then none
		calls int
		said  int
		want  error
	}{
		{"all is well", nil, 4, 0, ErrInterrupted},
		{"the first fails", []error{away}, 1, 0, away},
		{"others fail", []error{nil, away, away}, 4, 2, ErrInterrupted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 35*time.Second)
				defer cancel()
				calls, said := 0, 0
				err := Iterate(ctx, 10*time.Second, func() error {
					calls++
					if calls <= len(tt.errs) {
						return tt.errs[calls-1]
					}
					return nil
				}, func(error) { said++ })
				if calls != tt.calls || said != tt.said || !errors.Is(err, tt.want) {
					t.Errorf("%d calls, %d said, %v; want %d, %d, %v", calls, said, err, tt.calls, tt.said, tt.want)
				}
			})
		})
	}
}
