package figures

import (
	"context"

	"slurm-ostrich/cmd/internal/svg"
)

// examples are the small worked examples of the thesis.
var examples = []Figure{
	example("2.6", "Pareto optimality for two users", "2.3", figure26),
	example("2.9", "Space sharing and time sharing with two users", "2.4", figure29),
	example("2.10", "The worst case of FCFS with two users", "2.4", figure210),
	example("2.11", "Starvation under LPT with two users", "2.4", figure211),
	example("2.12", "Starvation under SPT with two users", "2.4", figure212),
	example("2.13", "Pools of Hadoop's fair scheduler with three users", "2.4", figure213),
	example("2.14", "Slurm's fair-share factor with three users", "2.4", figure214),
	example("3.3", "FCFS and the optimum for max-stretch", "3.6.2", figure33),
	example("4.1", "Deadlines of FairCamp", "4.2", figure41),
	example("4.2", "The schedule of FairCamp", "4.2", figure42),
	example("5.1", "The virtual and the real schedule of OStrich", "5.2", figure51),
	example("5.3", "A campaign according to MAX", "5.4.2", figure53),
	example("5.4", "The dependencies inside that campaign", "5.4.3", figure54),
	example("6.1", "The real schedule falls behind the virtual one", "6.1.1", figure61),
	example("6.2", "The same with a resized virtual schedule", "6.1.1", figure62),
	example("6.3", "The virtual and the real schedule of parallel OStrich", "6.3", figure63),
	example("6.4", "Parallel jobs under FCFS", "6.4", figure64),
	example("6.5", "Parallel jobs under space sharing", "6.4", figure65),
	example("6.6", "Parallel jobs under OStrich", "6.4", figure66),
}

// example returns a figure of the thesis that does not depend on its Input.
func example(number, title, section string, draw func(name string) *Result) Figure {
	return thesis(number, title, section, func(ctx context.Context, _ Input) (*Result, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return draw("thesis-" + number), nil
	})
}

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
