#!/usr/bin/env bash
# Version: sbatch, srun, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: with --ntasks=5 --ntasks-per-node=8 the job has 5 tasks and 5 processors, as the manual says that --ntasks goes first and the
#   other is a maximum; SLURM_TASKS_PER_NODE, by which MPI launchers place what they start, says 5.
# Seen: it has 8 processors and SLURM_TASKS_PER_NODE=8 beside SLURM_NTASKS=5; a launcher by the one starts 8, srun by the other 5.
#   The 3 processors more are charged. Without --ntasks-per-node all three numbers are 5.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29964 and 29965 of this host for
# some seconds, as root.
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
	SlurmctldPort=29964
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
	SlurmdPidFile=$PWD/pid-n1
	SlurmdLogFile=$PWD/log-n1
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29965 CPUs=8
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
slurmd-wlm -D -c -N n1 >out-n1 2>&1 &
ready() { [[ $(sinfo -h -o %t) == idle ]]; }
wait_for ready
gone() { [[ -z $(squeue -h -j "$1" 2>/dev/null) ]]; }
tries() { # OPTION...
	local id
	# shellcheck disable=SC2016 # the job's
	id=$(sbatch --parsable --ntasks=5 "$@" --output="$PWD/told" --chdir="$PWD" --wrap='
		echo "NTASKS $SLURM_NTASKS, TASKS_PER_NODE $SLURM_TASKS_PER_NODE, processors $SLURM_CPUS_ON_NODE, started by srun $(srun echo one 2>/dev/null | wc -l)"')
	wait_for gone "$id"
	cat told
}
seen="--ntasks=5: $(tries)
--ntasks=5 --ntasks-per-node=8: $(tries --ntasks-per-node=8)"
wanted='--ntasks=5: NTASKS 5, TASKS_PER_NODE 5, processors 5, started by srun 5
--ntasks=5 --ntasks-per-node=8: NTASKS 5, TASKS_PER_NODE 8, processors 8, started by srun 5'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
