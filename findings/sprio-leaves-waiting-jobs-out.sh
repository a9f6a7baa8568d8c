#!/usr/bin/env bash
# Version: sprio and slurmctld 22.05.8-4+deb12u3, priority/multifactor (Debian 12).
# Guess: sprio shows the factors of all pending jobs, as its manual says; asked for a job that runs, is held or was never there it
#   says so and ends with 1.
# Seen: a job that is held, or waits for its --begin or a dependency, is not in it, though squeue has a priority for the latter two.
#   Asked for one of these by its number, sprio says "Unable to find jobs matching user/id(s) specified" and ends with 0, as for
#   a number that no job ever had. Of a job whose priority was set all factors are 0.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29944 of this host for some seconds, as root.
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
	SlurmctldPort=29944
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
	PriorityType=priority/multifactor
	PriorityWeightAge=1000
	PriorityWeightPartition=1000
	NodeName=n1 NodeAddr=127.0.0.1 Port=29945 CPUs=8
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ --wrap=true "$@"; }
plain=$(submit)
declare -A job=(
	[plain]=$plain [held]=$(submit --hold) [begin]=$(submit --begin=now+1hour)
	[dependency]=$(submit --dependency=afterok:"$plain") [set]=$(submit --priority=5000)
)
listed() { sprio -h | awk '{print $1}' | grep -qx "$1"; }
wait_for listed "$plain"
seen=$(
	for name in plain held begin dependency set; do
		if listed "${job[$name]}"; then all=yes; else all=no; fi
		[[ $(squeue -h -j "${job[$name]}" -o %Q) == 0 ]] && queue=no || queue=yes
		echo "$name: in sprio $all, with a priority in squeue $queue"
	done
	sprio -h -j "${job[held]}" 2>&1 && echo "held, asked for: code $?"
	sprio -h -j 99999 2>&1 && echo "never there, asked for: code $?"
	sprio -h -j "${job[set]}" -o '%Y, age %A, partition %P' 2>&1
)
wanted='plain: in sprio yes, with a priority in squeue yes
held: in sprio no, with a priority in squeue no
begin: in sprio no, with a priority in squeue yes
dependency: in sprio no, with a priority in squeue yes
set: in sprio yes, with a priority in squeue yes
Unable to find jobs matching user/id(s) specified
held, asked for: code 0
Unable to find jobs matching user/id(s) specified
never there, asked for: code 0
5000, age 0, partition 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
