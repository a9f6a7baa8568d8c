// Package sweep describes a grid of simulations: the file that a person writes,
// the points that it stands for, and the folder that keeps what is known of
// them. What the options mean is told by the caller ([Meaning]), so that
// nothing of the simulator is known here.
package sweep
