#!/usr/bin/env bash
# Version: sbatch, squeue, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: --signal=B:USR1@600 with --time=5, a warning ten minutes before the end of a job of five, is refused, or never sent.
# Seen: it is taken, and sent in the first half minute of the run, at slurmctld's next look at the time limits. A script that
#   writes a checkpoint at the warning and submits itself anew does so at its beginning, again and again. So it is where
#   --time was lowered, by the user or an administrator, or --time-min gave less.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29994 and 29995 of this host for a
# minute, as root.
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
	SlurmctldPort=29994
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29995 CPUs=16
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
cat >job.sh <<-'END'
	#!/bin/bash
	trap 'echo "warned after $SECONDS s"; exit 0' USR1
	for _ in $(seq 100); do sleep 1; done
END
ended() { [[ $(squeue -h -t all -j "$1" -o %T) == COMPLETED ]]; }
seen=$(
	id=$(sbatch --parsable --output="$PWD/out-job" --chdir=/ --time=5 --signal=B:USR1@600 "$PWD/job.sh")
	wait_for ended "$id"
	seconds=$(grep -oP 'warned after \K\d+' out-job)
	((seconds <= 40)) && echo 'warned within 40 s of a job of five minutes'
)
wanted='warned within 40 s of a job of five minutes'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
