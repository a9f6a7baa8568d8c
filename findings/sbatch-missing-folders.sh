#!/usr/bin/env bash
# Version: sbatch, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: a job whose folder (--chdir) is not there on the node fails. One whose output cannot be opened runs
#   without, or fails with an exit code of 1 and says why.
# Seen: the first runs in /tmp, and is COMPLETED with 0:0 if its script is; only its output tells. The second
#   never runs, and is FAILED with 0:53, which looks like a signal 53; no file of the user's tells why.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29841 and 29842 of
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
	SlurmctldPort=29841
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29842 CPUs=16
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
job() { # NAME OPTION...
	sbatch --wait --job-name="$1" "${@:2}" --wrap="pwd >>'$tmp/ran-$1'" >/dev/null || true
	scontrol -o show job | sed -n "s/.*JobName=$1 .*JobState=\([A-Z]*\) .*ExitCode=\([0-9:]*\) .*/$1: \1 \2/p"
	echo "$1: ran in $(cat "ran-$1" 2>/dev/null || echo no folder)"
}
seen=$(
	job chdir --chdir="$tmp/missing" --output="$tmp/out-job"
	job output --chdir=/ --output="$tmp/missing/out-job"
)
wanted='chdir: COMPLETED 0:0
chdir: ran in /tmp
output: FAILED 0:53
output: ran in no folder'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
