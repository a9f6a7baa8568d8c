// Package trace reads and writes workload logs in the Standard Workload Format of
// the Parallel Workloads Archive: one line of 18 numbers for each job, and a
// header of comment lines with "; Name: value".
package trace
