#!/usr/bin/env bash
# Version: sbatch, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: "sbatch --wait" ends with 0 if the job did its work, and with another code if it did not: "sbatch
#   --wait first.sh && sbatch second.sh" submits the second one after a success of the first only.
# Seen: of a job that is cancelled while it waits it ends with 0, as of one that completed. Cancelled while it
#   runs, or ended by a signal, gives 1; an exit code is given as it is.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29837 and 29838 of
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
	SlurmctldPort=29837
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29838 CPUs=16
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
is() { [[ $(squeue -h -j "$(cat "id-$1")" -o %T) == "$2" ]]; }
waits() { # NAME STATE-TO-CANCEL-IN OPTION...
	local code=0
	sbatch --wait --parsable --output=/dev/null --chdir=/ "${@:3}" >"id-$1" &
	local process=$!
	if [[ -n $2 ]]; then
		wait_for is "$1" "$2"
		scancel "$(cat "id-$1")"
	fi
	wait "$process" || code=$?
	echo "$1: $code"
}
seen=$(
	waits completed '' --wrap=true
	waits exit-3 '' --wrap='exit 3'
	waits signal-9 '' --wrap='kill -9 $$'
	waits cancelled-running RUNNING --wrap='sleep 60'
	waits cancelled-waiting PENDING --hold --wrap=true
)
wanted='completed: 0
exit-3: 3
signal-9: 1
cancelled-running: 1
cancelled-waiting: 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
