#!/usr/bin/env bash
# Version: sbatch, squeue, scontrol, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12), nodes of two threads a core, CR_Core.
# Guess: a job has as many processors as it asked for, squeue shows the same number while it waits and while it runs, and
#   --hint=nomultithread or --threads-per-core=1 is about where the tasks are put: four tasks are four processors.
# Seen: one task is one processor while it waits, and two from its start on, a core; three are four. With either option four tasks
#   are eight, and squeue, as well as the billing that scontrol shows, has four until the start. So what waits looks half as
#   large as what it takes: eight such jobs of one task fill a node of 16 processors. ReqTRES in accounting keeps the smaller.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29989 and 29990 of this host for half
# a minute, as root.
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
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29989
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool/%n
	SlurmdPidFile=$PWD/pid-%n
	SlurmdLogFile=$PWD/log-%n
	SlurmdParameters=config_overrides
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	SchedulerParameters=bf_interval=2
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29990 Sockets=1 CoresPerSocket=8 ThreadsPerCore=2
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
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --output=/dev/null --chdir=/ --wrap='sleep 60' "$@"; }
runs() { [[ $(squeue -h -j "$1" -o %T) == RUNNING ]]; }
size() { echo "$(squeue -h -j "$1" -o %C) ($(scontrol show job "$1" | grep -o 'billing=[0-9]*'))"; }
full() { [[ $(sinfo -h -o %t) == alloc ]]; }
look() { # ARGUMENTS
	local id waits
	id=$(submit --hold "$@")
	waits=$(size "$id")
	scontrol release "$id"
	wait_for runs "$id"
	echo "$*: waits with $waits, runs with $(size "$id")"
	scancel "$id"
	wait_for ready
}
seen=$(
	look --ntasks=1
	look --ntasks=3
	look --ntasks=4 --hint=nomultithread
	look --ntasks=4 --threads-per-core=1
	look --ntasks=4 --cpus-per-task=2
	for _ in $(seq 9); do submit --ntasks=1 >/dev/null; done
	wait_for full
	echo "of nine jobs of one task on 16 processors: $(squeue -h -t RUNNING | wc -l) run, with $(squeue -h -t RUNNING -o %C | awk '{n += $1} END {print n}')"
)
wanted='--ntasks=1: waits with 1 (billing=1), runs with 2 (billing=2)
--ntasks=3: waits with 3 (billing=3), runs with 4 (billing=4)
--ntasks=4 --hint=nomultithread: waits with 4 (billing=4), runs with 8 (billing=8)
--ntasks=4 --threads-per-core=1: waits with 4 (billing=4), runs with 8 (billing=8)
--ntasks=4 --cpus-per-task=2: waits with 8 (billing=8), runs with 8 (billing=8)
of nine jobs of one task on 16 processors: 8 run, with 16'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
