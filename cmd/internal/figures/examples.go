package figures

import "slurm-ostrich/cmd/internal/svg"

// must returns what was computed from numbers of this package. An error would be a
// mistake in them, as each example is always computed alike.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// The shades of users by their names in the thesis.
var (
	darkGray   = svg.Key{Class: "s1", Name: "dark gray user"}
	mediumGray = svg.Key{Class: "s2", Name: "medium gray user"}
	lightGray  = svg.Key{Class: "s3", Name: "light gray user"}

	grayUsers = []svg.Key{darkGray, mediumGray, lightGray}

	twoUsers = []svg.Key{{Class: "s3", Name: "user 1"}, {Class: "s1", Name: "user 2"}}
)
