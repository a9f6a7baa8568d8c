package cmdtest

import (
	"sync"

	"slurm-ostrich/slurmdb/slurmdbtest"
)

// databases are those of the scripts that run, by name of the script.
var databases registry

type registry struct {
	mu sync.Mutex
	of map[string]*slurmdbtest.DB
}

func (r *registry) get(script string) *slurmdbtest.DB {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of[script]
}

func (r *registry) put(script string, db *slurmdbtest.DB) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = make(map[string]*slurmdbtest.DB)
	}
	r.of[script] = db
}
