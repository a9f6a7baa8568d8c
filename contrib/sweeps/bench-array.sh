#!/bin/sh
# Makes the runs of a bench as a job array: PER_TASK runs a task, into the folder DIR.
#
#   sbatch --array=0-LAST bench-array.sh DIR PER_TASK OPTIONS...
#
# "ostrich bench OPTIONS... --list --parsable2 --noheader | wc -l" counts the runs; LAST is one
# less than the runs divided by PER_TASK, rounded up. When the array has ended, "ostrich bench
# OPTIONS... --resume DIR" makes what failed and writes the tables. With --forecast among the
# OPTIONS it is the back-test of forecasts.
: "${2:?is PER_TASK}" "${SLURM_ARRAY_TASK_ID:?is missing: run it with sbatch --array}"
dir=$1 per_task=$2
shift 2
export GOMAXPROCS="${SLURM_CPUS_PER_TASK:-1}"
exec ostrich bench "$@" --resume "$dir" --per-task "$per_task" --task "$SLURM_ARRAY_TASK_ID" --workers "$GOMAXPROCS"
