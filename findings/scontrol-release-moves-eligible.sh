#!/usr/bin/env bash
# Version: scontrol and slurmctld 22.05.8-4+deb12u3 (Debian 12), priority/multifactor.
# Guess: a job that waited, was held and was released is eligible since it was submitted, or its EligibleTime says nothing of
#   the hold.
# Seen: its EligibleTime is the moment of the release, from which sacct counts the wait ("Reserved"). A job that waited for an
#   hour and was held by mistake for a second has waited since then. Its SubmitTime stays.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29788 of this host for half a
# minute, as root.
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
	SlurmctldPort=29788
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
	PriorityWeightAge=1000
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ --wrap=true; }
old=$(submit) held=$(submit)
eligible() { ! scontrol -o show job | grep -q EligibleTime=Unknown; }
wait_for eligible
sleep 12
scontrol hold "$held"
sleep 1
scontrol release "$held"
new=$(submit)
wait_for eligible
with() { # FIELD: whether that of the held job is the old one's or the new one's
	local job at=()
	for job in "$old" "$held" "$new"; do
		at+=("$(date +%s -d "$(scontrol -o show job "$job" | grep -oP "\b$1=\K[^ ]+")")")
	done
	echo "$1: with the old job $((at[1] - at[0] < 4 ? 1 : 0)), with the new one $((at[2] - at[1] < 4 ? 1 : 0))"
}
seen=$(
	with SubmitTime
	with EligibleTime
)
wanted='SubmitTime: with the old job 1, with the new one 0
EligibleTime: with the old job 0, with the new one 1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
