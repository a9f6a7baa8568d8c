// Package trace reads and writes workload logs in the Standard Workload
// Format of the Parallel Workloads Archive: lines of 18 numbers, one a job, and
// a header of comment lines with "; Name: value".
package trace
