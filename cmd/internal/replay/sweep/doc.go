// Package sweep runs grids of simulations. It reads the points that a file stands
// for, computes them here or in a job array, keeps the results and writes them.
// The grid asks a [Meaning] what the options mean, and knows nothing of the
// simulator.
package sweep
