// Command fakeslurm stands in for Slurm's commands in tests: for the one by whose
// name it is called. Package slurmtest says what it reads and writes.
package main

import (
	"os"
	"path/filepath"
	"time"

	"slurm-ostrich/priority/slurm/slurmtest"
)

func main() {
	os.Exit(slurmtest.Run(filepath.Base(os.Args[0]), os.Args[1:], time.Now())) //nolint:forbidigo // this is func main
}
