#!/bin/sh
# Computes a sweep as a job array: PER_TASK points a task, into the folder DIR.
#
#   sbatch --array=0-LAST array.sh FILE DIR PER_TASK
#
# "ostrich sweep FILE --list --parsable2 --noheader | wc -l" counts the points; LAST is one
# less than the points divided by PER_TASK, rounded up. When the array has ended, "ostrich
# sweep FILE --out DIR" computes what failed and writes the table.
: "${3:?is PER_TASK}" "${SLURM_ARRAY_TASK_ID:?is missing: run it with sbatch --array}"
export GOMAXPROCS="${SLURM_CPUS_PER_TASK:-1}"
exec ostrich sweep "$1" --out "$2" --per-task "$3" --task "$SLURM_ARRAY_TASK_ID" --workers "$GOMAXPROCS"
