// Package sharing is the virtual schedule: users share a machine by weight, and the work
// of each is served one stage after the other. It knows numbers and names, and no job.
//
// # The equations
//
// While a user has unfinished work the user is active. Active users share the machine at
// every moment, and a campaign i of work W_i starts and ends virtually at
//
//	s~_i = max(t_i, C~_{i-1})    C~_i = s~_i + k~·W_i/m
//
// (paper section 4, equations 4.2 and 4.1; thesis 5.1, equations 5.2 and 5.1). The number
// of active users k~, and with it every C~, changes with each arrival and completion. Sharing by
// weight is generalised processor sharing (Parekh and Gallager 1994), so nobody's C~ need be
// computed again. A virtual clock V counts what a unit of weight has been served:
//
//	dV/dt = M(t) / Σ w_u,  u active
//
// A campaign gets a finish tag when it arrives, and campaigns are completed in the
// order of their tags, whatever the number of active users does later:
//
//	F_i = max(V(t_i), F_{i-1}) + W_i/w_u
//
// Below accounts there is a clock for each account, see node. M(t) is m, or on a parallel
// machine the processors that are really busy (thesis 6.1.1, event-based resizing).
//
// # What each number stands for
//
//	m, M(t)    Tree.Size, Tree.Serving    processors of the machine, and those handed out
//	t          Tree.moment                real time, in seconds
//	w          node.weight                of a user or an account among its siblings
//	Σ w        node.sharing               of the active children of an account
//	V          node.clock                 processor-seconds that a unit of weight below an account was served
//	W_i        Stage.Work                 processor-seconds
//	V(t_i)     Stage.arrived              the clock when the stage opened, or was reopened
//	V(s~_i)    Stage.start                max(V(t_i), F_{i-1})
//	F_i        Stage.finish               V(s~_i) + W_i/w
//	s~, C~     Stage.Began, Completed     real time, NotYet before
//	           Stage.done                 of W_i, what was served before Stage.start
//	           Line.reached               the latest F up to a stage, F_{i-1} of the next one
//	owed       Tree.Owed                  processor-seconds that a user is still to be served
//	left       Tree.left                  processor-seconds that the real jobs still have to do
//	surplus    Tree.surplus               Σ owed - left, see Tree.Settle
//
// # The files
//
// Each uses only those before it: shares.go (how a machine is divided), left.go, node.go (the
// tree), clock.go (V), line.go (stages and their tags), read.go (the papers' times), tree.go
// (time passes, the division changes), settle.go, clone.go.
package sharing
