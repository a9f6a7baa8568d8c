#!/usr/bin/env bash
# Version: scontrol, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: "scontrol wait_job ID" waits until the job has started, or has ended without a start, as its manual says: of a job that is
#   still in the queue it comes back when the nodes are there.
# Seen: of a job that waits it says at once "Job ID no longer running" and ends with 1, as of one that has ended. It waits
#   for nodes that boot, and not for a job to get them; a script that submits and waits goes on as if the job were over.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29938 and 29939 of this host for
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
	SlurmctldPort=29938
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29939 CPUs=8
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ --wrap='sleep 60' "$@"; }
runs() { [[ $(squeue -h -j "$1" -o %T) == RUNNING ]]; }
gone() { [[ $(squeue -h -j "$1" -t CANCELLED -o %T) == CANCELLED ]]; }
tries() { # JOB
	local code=0
	timeout 20 scontrol wait_job "$1" 2>&1 | sed "s/$1/ID/" || code=$?
	echo "code $code"
}
waiting=$(submit --begin=now+1hour)
running=$(submit)
wait_for runs "$running"
seen="waits: $(tries "$waiting")
runs: $(tries "$running")"
scancel "$running"
wait_for gone "$running"
seen+="
ended: $(tries "$running")"
wanted='waits: scontrol: Job ID no longer running
code 1
runs: scontrol: Nodes are ready for job ID
code 0
ended: scontrol: Job ID no longer running
code 1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
