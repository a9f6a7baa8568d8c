// Package orders has the policies of the simulator that daemon and engine know
// nothing of: Slurm's priority/multifactor, fair share as the thesis simplifies it, and
// space sharing. Each is a sim.Policy, which sim.Loop and sim.Machine run; they are
// tested there, beside the engine's own.
package orders
