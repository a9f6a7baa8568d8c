#!/usr/bin/env bash
# Version: sbatch, scancel, scontrol, squeue and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: a heterogeneous job is one: what is done to a part of it, "12+1" or the part's own number, is done to all, or is refused,
#   by each command alike; or each part can be cancelled, held and changed by itself.
# Seen: "scontrol release 12+1", hold and Nice are for that part alone, also by its own number, 13; with the first one's, 12, they are
#   for all. "scancel 12+1" of one that waits is refused, and scancel ends with 60; "scancel 12+0", which looks the same, cancels
#   all parts and ends with 0.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29999 of this host for some seconds, as root.
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
	SlurmctldPort=29999
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	FirstJobId=12
	PriorityType=priority/multifactor
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
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
sbatch --parsable --output=/dev/null --chdir=/ --hold --ntasks=1 : --ntasks=2 : --ntasks=3 --wrap=true >/dev/null
# show prints the parts: which, nice value, and whether it is held (priority 0).
show() { squeue -h -o '%i nice %y %Q' | sed -E 's/^12//; s/ 0$/ held/; s/ [0-9]+$/ waits/' | sort | paste -sd, | sed 's/^$/no part/'; }
try() { # COMMAND
	local code=0
	"$@" 2>/dev/null || code=$?
	echo "$* ($code): $(show)"
}
seen=$(
	show
	try scontrol release 12+1
	try scontrol update JobId=12+2 Nice=5
	try scontrol hold 12+1
	try scontrol release 12
	try scontrol hold 13
	try scancel 12+1
	try scancel 13
	try scancel 12+0
)
wanted='+0 nice 0 held,+1 nice 0 held,+2 nice 0 held
scontrol release 12+1 (0): +0 nice 0 held,+1 nice 0 waits,+2 nice 0 held
scontrol update JobId=12+2 Nice=5 (0): +0 nice 0 held,+1 nice 0 waits,+2 nice 5 held
scontrol hold 12+1 (0): +0 nice 0 held,+1 nice 0 held,+2 nice 5 held
scontrol release 12 (0): +0 nice 0 waits,+1 nice 0 waits,+2 nice 5 waits
scontrol hold 13 (0): +0 nice 0 waits,+1 nice 0 held,+2 nice 5 waits
scancel 12+1 (60): +0 nice 0 waits,+1 nice 0 held,+2 nice 5 waits
scancel 13 (60): +0 nice 0 waits,+1 nice 0 held,+2 nice 5 waits
scancel 12+0 (0): no part'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
