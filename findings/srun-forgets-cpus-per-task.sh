#!/usr/bin/env bash
# Version: sbatch, srun, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: in a job with --ntasks=2 --cpus-per-task=3 a task that srun starts has three processors, as srun takes --cpus-per-task
#   from the job, as it takes --ntasks.
# Seen: it does not, from 22.05 on. With --exact, as for programs side by side, a step of one task has one processor, and
#   SLURM_CPUS_PER_TASK in it is 3 all the same, so three threads share that one; six such steps run at a time in the job,
#   where two would fit. SRUN_CPUS_PER_TASK in the script, or --cpus-per-task of srun, gives three. Without --exact the step has
#   all processors of the job, six.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29935 and 29936 of this host for half a
# minute, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurmd=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
ln -s slurmctld-wlm root/usr/sbin/slurmctld # by its name it knows what it is
ln -s slurmd-wlm root/usr/sbin/slurmd
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'scancel --quiet --state=RUNNING 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool-n1
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29935
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SlurmdSpoolDir=$PWD/spool-%n
	SlurmdPidFile=$PWD/pid-%n
	SlurmdLogFile=$PWD/log-%n
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29936 CPUs=8
	PartitionName=p Nodes=ALL Default=YES State=UP
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
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-n1 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
cat >job <<-'END'
	#!/bin/sh
	#SBATCH --ntasks=2 --cpus-per-task=3
	look() { # WHAT COMMAND
	  what=$1
	  shift
	  echo "$what: $("$@" sh -c 'echo "SLURM_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK, processors $(scontrol -o show step "$SLURM_JOB_ID.$SLURM_STEP_ID" | grep -oE " CPUs=[0-9]*" | cut -d= -f 2)"' | sort -u)"
	}
	look "plain" srun --ntasks=1
	look "--exact" srun --exact --ntasks=1
	look "--exact --cpus-per-task=3" srun --exact --ntasks=1 --cpus-per-task=3
	export SRUN_CPUS_PER_TASK=3
	look "--exact with SRUN_CPUS_PER_TASK" srun --exact --ntasks=1
	unset SRUN_CPUS_PER_TASK
	for i in 1 2 3 4 5 6; do srun --exact --ntasks=1 sleep 4 2>/dev/null & done
	sleep 2
	echo "steps at a time: $(squeue -h -s -j "$SLURM_JOB_ID" -o '%i %j' | grep -c sleep)"
	wait
	echo end
END
sbatch --output="$PWD/out-job" --chdir=/ --export=ALL job >/dev/null
ended() { grep -q end out-job; }
wait_for ended
seen=$(grep -v end out-job)
wanted='plain: SLURM_CPUS_PER_TASK=3, processors 6
--exact: SLURM_CPUS_PER_TASK=3, processors 1
--exact --cpus-per-task=3: SLURM_CPUS_PER_TASK=3, processors 3
--exact with SRUN_CPUS_PER_TASK: SLURM_CPUS_PER_TASK=3, processors 3
steps at a time: 6'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
