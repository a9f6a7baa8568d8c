#!/usr/bin/env bash
# Version: sbatch, srun, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: a job that is submitted from within a job has the SLURM_ variables of its own alone: without --array no
#   SLURM_ARRAY_TASK_ID, without --ntasks no SLURM_NTASKS, and srun in it starts what was asked for.
# Seen: what the new job does not set itself it inherits, with the rest of the environment: SLURM_ARRAY_TASK_ID and
#   SLURM_NTASKS of the job that submitted it. So a script that takes the first for "I am a task of an array" does that task's
#   work again, and srun in a job of one processor asks for three and fails. --export=NONE leaves these variables in; what
#   helps is to unset them before sbatch. SLURM_JOB_ID and SLURM_JOB_NAME are its own.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29785 and 29786 of
# this host for a minute, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurmd=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'scancel --quiet --state=RUNNING 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool
cat >slurm.conf <<-END
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29785
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=root
	PluginDir=$lib
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	JobAcctGatherType=jobacct_gather/none
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29786 CPUs=8
	PartitionName=p Nodes=n1 Default=YES State=UP
END
# wait_for tries a command for a minute.
wait_for() {
	local left
	for left in $(seq 60); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 1
	done
	echo "not within a minute: $*" >&2
	return "$left"
}
slurmctld-wlm -D -c >out 2>&1 &
slurmd-wlm -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
cat >inner.sh <<-'END'
	#!/bin/sh
	echo "task ${SLURM_ARRAY_TASK_ID-none}, NTASKS ${SLURM_NTASKS-none}, name $SLURM_JOB_NAME, processors $SLURM_CPUS_ON_NODE"
	if srun --export=ALL true 2>/dev/null; then echo "srun works"; else echo "srun fails"; fi
END
cat >outer.sh <<-'END'
	#!/bin/sh
	sbatch --quiet --wait --output=inherited inner.sh
	sbatch --quiet --wait --output=bare --export=NONE inner.sh
	env -u SLURM_ARRAY_TASK_ID -u SLURM_NTASKS -u SLURM_NPROCS sbatch --quiet --wait --output=without inner.sh
END
sbatch --quiet --wait --array=7 --ntasks=3 --output=out-outer outer.sh
sbatch --quiet --wait --output=outside inner.sh
told() { [[ $(cat inherited bare without outside | grep -c srun) == 4 ]]; }
wait_for told
seen="from a task: $(xargs <inherited)
from a task, with --export=NONE: $(xargs <bare)
from a task, unset before: $(xargs <without)
from outside: $(xargs <outside)"
wanted='from a task: task 7, NTASKS 3, name inner.sh, processors 1 srun fails
from a task, with --export=NONE: task 7, NTASKS 3, name inner.sh, processors 1 srun fails
from a task, unset before: task none, NTASKS none, name inner.sh, processors 1 srun works
from outside: task none, NTASKS none, name inner.sh, processors 1 srun works'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
