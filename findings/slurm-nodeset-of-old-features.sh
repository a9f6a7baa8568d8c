#!/usr/bin/env bash
# Version: slurmctld, slurmd and scontrol 22.05.8-4+deb12u3 (Debian 12).
# Guess: a partition whose nodes are a NodeSet with Feature=big has the nodes that have that feature: as soon as scontrol
#   gives it to a node, and no longer once the node has lost it.
# Seen: it changes with "scontrol reconfigure" alone, which reads the features of slurm.conf anew and fills the NodeSet by
#   those of before: the node is in the partition, and does not have the feature. It leaves with the next reconfigure,
#   though nothing changed between the two.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and two slurmd on ports 29736 to 29738 of
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
mkdir state spool-n1 spool-n2
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29736
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
	SlurmdSpoolDir=$PWD/spool-%n
	SlurmdPidFile=$PWD/pid-d-%n
	SlurmdLogFile=$PWD/log-d-%n
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29737 CPUs=16 Feature=small
	NodeName=n2 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29738 CPUs=16 Feature=big
	NodeSet=big Feature=big
	PartitionName=p Nodes=ALL Default=YES State=UP
	PartitionName=bigs Nodes=big State=UP
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
slurmd-wlm -D -c -N n1 >out-d1 2>&1 &
slurmd-wlm -D -c -N n2 >out-d2 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
state() { echo "$1: partition $(scontrol -o show partition bigs | grep -oE ' Nodes=[^ ]*' | xargs), n1 has $(sinfo -h -n n1 -p p -o %f)"; }
runs() { [[ $(squeue -h -j "$1" -o %T) == RUNNING ]]; }
again() {
	scontrol reconfigure
	sleep 2
	wait_for ready
}
seen=$(
	state 'at first'
	scontrol update NodeName=n1 AvailableFeatures=small,big ActiveFeatures=small,big
	state 'n1 gets big'
	again
	state 'reconfigured'
	id=$(sbatch --parsable --output=/dev/null --chdir=/ --partition=bigs --nodelist=n1 --wrap='sleep 60')
	wait_for runs "$id"
	echo "a job for bigs runs on $(squeue -h -j "$id" -o %N)"
	scancel "$id"
	wait_for ready
	again
	state 'and once more'
)
wanted='at first: partition Nodes=n2, n1 has small
n1 gets big: partition Nodes=n2, n1 has small,big
reconfigured: partition Nodes=n[1-2], n1 has small
a job for bigs runs on n1
and once more: partition Nodes=n2, n1 has small'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
