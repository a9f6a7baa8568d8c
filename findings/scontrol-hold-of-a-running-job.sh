#!/usr/bin/env bash
# Version: scontrol, squeue, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: "scontrol hold" of a job that runs is refused, as only what waits can be held back; or does nothing.
# Seen: it ends with 0, and the job runs on with priority 0, a reason for waiting and "RUNNING" beside each other. The hold
#   stays: if the job is requeued, as after a failure of its node, it waits until somebody releases it.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29733 and 29734 of
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
	SlurmctldPort=29733
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29734 CPUs=16
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
id=$(sbatch --parsable --output=/dev/null --chdir=/ --wrap='sleep 60')
is() { [[ $(squeue -h -j "$id" -o %T) == "$1" ]]; }
wait_for is RUNNING
code=0
scontrol hold "$id" || code=$?
state() { scontrol -o show job "$id" | grep -oE '(Priority|JobState|Reason)=[^ ]*' | xargs; }
seen="hold: exit $code, $(state)"
scontrol requeue "$id"
wait_for is PENDING
seen+="
requeued: $(state)"
wanted='hold: exit 0, Priority=0 JobState=RUNNING Reason=JobHeldAdmin
requeued: Priority=0 JobState=PENDING Reason=JobHeldAdmin'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
