// Package nodes describes a cluster as slurmctld sees it: its nodes, partitions, limits and
// licences, and what a job asks of them. It reads no files: who reads slurm.conf, accounting or
// a log fills a [Cluster] and a list of [Request].
//
// Counts of zero mean "not said" throughout, and the zero value of a type asks nothing and forbids
// nothing. Memory is in MiB.
package nodes
