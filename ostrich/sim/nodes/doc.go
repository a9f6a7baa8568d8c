// Package nodes describes a cluster as slurmctld sees it: its nodes, partitions, limits and
// licences, and what a job asks of them. It reads no files: who reads slurm.conf, accounting or
// a log fills a [Cluster] and a list of [Request].
//
// A [Floor] is a cluster prepared for placing jobs; a [Want] a request as one of its partitions can
// meet it. A [Chooser] chooses nodes for a job beside the [Load] of those that run, or says when it
// could start, and [Usage] counts what limits of associations and QOS count.
//
// The choice is that of select/cons_tres in Slurm 22.05, source files of which the comments name; the
// later ones moved it to topology/common/eval_nodes.c without a change to what is modelled here. Left
// out are CPUs that jobs share (OverSubscribe=FORCE or YES), topologies of switches, the places of
// generic resources on sockets, and heterogeneous jobs.
//
// Counts of zero mean "not said" throughout, and the zero value of a type asks nothing and forbids
// nothing. Memory is in MiB.
package nodes
