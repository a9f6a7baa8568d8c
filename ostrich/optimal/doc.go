// Package optimal orders a queue so that an objective gets as small as it can: how
// many users wait for longer than they accept, how late their jobs are, when the
// last one ends, how far campaigns are stretched.
//
// It is the optimisation problem of S. Schlagkamp, M. Hofmann, L. Eufinger and
// R. Ferreira da Silva, "Increasing Waiting Time Satisfaction in Parallel Job
// Scheduling via a Flexible MILP Approach" (HPCS 2016), section IV: rigid jobs of
// known lengths stand in a queue, others run and give back their processors at
// known times, no other job comes. The paper's equations are cited by their numbers.
package optimal
