// Package sweep makes a grid of simulations: of the file that a person writes it
// reads the points that it stands for, computes them here or in a job array, and
// keeps and writes what comes of them. What the options mean is told to the grid
// ([Meaning]), which knows nothing of the simulator.
package sweep
