#!/usr/bin/env bash
# Version: slurmctld and scontrol 22.05.8-4+deb12u3, priority/multifactor (Debian 12).
# Guess: a name in PriorityFlags that Slurm does not know stops slurmctld, as a wrong PriorityFavorSmall does, or counts for
#   nothing. PriorityDecayHalfLife=14 is two weeks, as 14-0 is, or 14 seconds; PriorityWeightAge=1k is 1000, or refused.
# Seen: it looks for its names anywhere in the text: NO_ACCRUE_ALWAYS turns ACCRUE_ALWAYS on, and "MAX_TRES_OFF" MAX_TRES. What has
#   none of its names in it is dropped without a word. A number alone is minutes: usage is forgotten with a half life of 14 of
#   them, and a job has its whole PriorityMaxAge=7 after seven. 1k is 1024.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld, several times, on port 29998 of this host for half a minute, as
# root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29998
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	PriorityType=priority/multifactor
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=8 State=DOWN
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
stop() {
	kill %1
	wait
}
stop
cp slurm.conf plain.conf
# start prints what slurmctld made of a line in slurm.conf, or that it did not start.
start() { # LINE
	local value=refused
	rm -rf state/*
	{ cat plain.conf; echo "$1"; } >slurm.conf
	slurmctld-wlm -D -c >out 2>&1 &
	local pid=$!
	while kill -0 $pid 2>/dev/null; do
		if value=$(scontrol show config 2>/dev/null) && [[ $value == *"${1%%=*} "* ]]; then
			value=$(grep "^${1%%=*} " <<<"$value" | sed 's/.*= //')
			break
		fi
		value=refused
		sleep 0.2
	done
	kill $pid 2>/dev/null || true
	wait $pid 2>/dev/null || true
	echo "$1 is ${value:-nothing}"
}
seen=$(
	for line in PriorityFlags=NO_ACCRUE_ALWAYS PriorityFlags=MAX_TRES_OFF PriorityFlags=FAIRTREE PriorityFavorSmall=YESS \
		PriorityDecayHalfLife=14 PriorityDecayHalfLife=14-0 PriorityMaxAge=7 PriorityMaxAge=7d PriorityWeightAge=1k; do
		start "$line"
	done
)
wanted='PriorityFlags=NO_ACCRUE_ALWAYS is ACCRUE_ALWAYS
PriorityFlags=MAX_TRES_OFF is MAX_TRES
PriorityFlags=FAIRTREE is nothing
PriorityFavorSmall=YESS is refused
PriorityDecayHalfLife=14 is 00:14:00
PriorityDecayHalfLife=14-0 is 14-00:00:00
PriorityMaxAge=7 is 00:07:00
PriorityMaxAge=7d is refused
PriorityWeightAge=1k is 1024'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
