#!/usr/bin/env bash
# Version: salloc, srun, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: salloc ends with the code of its command; of one that a signal ended with 128 and the signal, as a shell and srun
#   do, or at least not with 0.
# Seen: of a command that SIGKILL ended, as the kernel does where memory runs out, it ends with 0, so "salloc first && salloc
#   second" goes on. SIGTERM gives 1. With srun as the command it is 137.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29730 and 29731 of
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
trap 'scancel --quiet --user=root 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29730
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29731 CPUs=16
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
ends() {
	local code=0
	salloc -Q --chdir=/ "$@" >/dev/null 2>&1 || code=$?
	echo "$*: $code"
}
# shellcheck disable=SC2016 # for the shell inside
seen=$(
	ends sh -c 'exit 9'
	ends sh -c 'kill -KILL $$'
	ends sh -c 'kill -TERM $$'
	ends sh -c 'kill -SEGV $$'
	ends srun sh -c 'kill -KILL $$'
)
wanted='sh -c exit 9: 9
sh -c kill -KILL $$: 0
sh -c kill -TERM $$: 1
sh -c kill -SEGV $$: 1
srun sh -c kill -KILL $$: 137'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
