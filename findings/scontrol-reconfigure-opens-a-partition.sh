#!/usr/bin/env bash
# Version: scontrol and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: what "scontrol update" changed of a partition or a node holds until slurmctld starts anew; "scontrol reconfigure" reads what
#   has changed in slurm.conf. A partition that was closed stays closed.
# Seen: "scontrol reconfigure" makes partitions what slurm.conf says, also where the file is as before: one that was closed
#   (State=DOWN) for maintenance is UP and starts jobs, and its MaxTime is the old one; a node's weight too. A node that was drained
#   stays drained. (ReconfigFlags=KeepPartState keeps the state alone.)
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29972 of this host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir state
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29972
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
	NodeName=n1 NodeAddr=127.0.0.1 Port=29973 CPUs=8
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
up() { scontrol ping | grep -q UP; }
wait_for up
shown() {
	scontrol -o show partition p | grep -oE ' (MaxTime|State)=[^ ]*'
	scontrol -o show node n1 | grep -oE ' Weight=[0-9]*|DRAIN'
}
scontrol update PartitionName=p State=DOWN MaxTime=5
scontrol update NodeName=n1 Weight=9
scontrol update NodeName=n1 State=DRAIN Reason=disk
seen="changed: $(shown | xargs)"
scontrol reconfigure
wait_for up
sleep 1
seen+="
reconfigured: $(shown | xargs)"
wanted='changed: MaxTime=00:05:00 State=DOWN DRAIN Weight=9
reconfigured: MaxTime=UNLIMITED State=UP DRAIN Weight=1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
