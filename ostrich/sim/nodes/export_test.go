package nodes

// Kept returns the CPUs and the memory that will be in use of each node of the head at the shadow time.
func (s *Stock) Kept() map[int][2]int {
	kept := make(map[int][2]int)
	for _, r := range s.head {
		kept[int(r.node)] = [2]int{int(r.use.cpus), int(r.use.memory)}
	}
	return kept
}
