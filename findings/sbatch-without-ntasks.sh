#!/usr/bin/env bash
# Version: sbatch, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: a batch job without --ntasks has one task, and SLURM_NTASKS says so: "mpirun -np $SLURM_NTASKS" works
#   in each job. SLURM_CPUS_PER_TASK is 1 without --cpus-per-task.
# Seen: neither is set, nor is SLURM_NPROCS, also not with --nodes=1 or --exclusive; each is set if it, or what
#   gives it (--ntasks-per-node), was asked for. SLURM_TASKS_PER_NODE and SLURM_CPUS_ON_NODE always are.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29839 and 29840 of
# this host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
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
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29839
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29840 CPUs=16
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
slurmctld-wlm -D -c >out 2>&1 &
slurmd-wlm -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
seen=$(
	for options in '' '--nodes=1' '--exclusive' '--cpus-per-task=4' '--ntasks-per-node=4' '--ntasks=2'; do
		# shellcheck disable=SC2086,SC2016 # none or one; the job expands its own
		env -u SLURM_NTASKS sbatch --wait --parsable --output="$tmp/said" --chdir=/ $options --wrap='echo \
			ntasks ${SLURM_NTASKS-unset}, nprocs ${SLURM_NPROCS-unset}, per task ${SLURM_CPUS_PER_TASK-unset}, \
			tasks ${SLURM_TASKS_PER_NODE-unset}, cpus ${SLURM_CPUS_ON_NODE-unset}' >/dev/null
		echo "${options:-(none)}: $(cat said)"
	done
)
wanted='(none): ntasks unset, nprocs unset, per task unset, tasks 1, cpus 1
--nodes=1: ntasks unset, nprocs unset, per task unset, tasks 1, cpus 1
--exclusive: ntasks unset, nprocs unset, per task unset, tasks 16, cpus 16
--cpus-per-task=4: ntasks unset, nprocs unset, per task 4, tasks 1, cpus 4
--ntasks-per-node=4: ntasks 4, nprocs 4, per task unset, tasks 4, cpus 4
--ntasks=2: ntasks 2, nprocs 2, per task unset, tasks 2, cpus 2'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
