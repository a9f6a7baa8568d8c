#!/usr/bin/env bash
# Version: scontrol, sprio and slurmctld 22.05.8-4+deb12u3 (Debian 12), priority/multifactor.
# Guess: "scontrol update Priority=5000" of a job leaves its nice value beside it; a nice value that is given afterwards is
#   taken from the 5000, or refused. After a release all is as it was before.
# Seen: it sets the nice value to 0. One that is given afterwards is dropped: scontrol ends with 0, and only slurmctld's log
#   has a word of it ("ignore nice set request"). A release gives the priority back to the factors, and not the nice value.
#   sprio has the 5000 beside factors that are all 0.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29787 of this host for some
# seconds, as root.
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
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29787
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=root
	PluginDir=$lib
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	PriorityType=priority/multifactor
	PriorityWeightJobSize=1000
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	MpiDefault=none
	NodeName=n1 NodeAddr=127.0.0.1
	PartitionName=p Nodes=n1 Default=YES State=UP
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
wait_for scontrol ping
id=$(sbatch --parsable --nice=50 --output=/dev/null --chdir=/ --wrap=true)
show() { echo "$1: $(scontrol -o show job "$id" | grep -oE '\b(Priority|Nice)=[-0-9]+' | xargs)"; }
sleep 2
seen=$(
	show 'at first' | sed 's/Priority=[0-9]*/Priority by factors/'
	scontrol update "JobId=$id" Priority=5000
	show 'with a priority'
	code=0
	scontrol update "JobId=$id" Nice=100 2>&1 || code=$?
	show "with a nice value, code $code"
	echo "slurmctld's log: $(grep -o 'ignore nice set request' log)"
	echo "sprio: $(sprio -h -j "$id" -o 'priority %Y, site %S, size %J, nice %N' | tr -s ' ')"
	scontrol release "$id"
	show released | sed 's/Priority=[0-9]*/Priority by factors/'
)
wanted='at first: Priority by factors Nice=50
with a priority: Priority=5000 Nice=0
with a nice value, code 0: Priority=5000 Nice=0
slurmctld'\''s log: ignore nice set request
sprio: priority 5000, site 0, size 0, nice 0
released: Priority by factors Nice=0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
