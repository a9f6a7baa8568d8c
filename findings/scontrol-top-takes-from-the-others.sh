#!/usr/bin/env bash
# Version: scontrol and slurmctld 22.05.8-4+deb12u3, priority/multifactor (Debian 12).
# Guess: "scontrol top ID" moves a job before the others of its owner by a nice value below theirs; these keep their own.
# Seen: the job has the nice value 0, also where it was submitted with --nice=100, and what it lost is handed to the others, 33,
#   33 and 34 of three that asked for none. A "top" of another one hands out its own in turn, so that none of the nice values
#   says any more what its owner asked for; their sum stays.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29942 of this host for some seconds, as root.
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
	SlurmctldPort=29942
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
	PriorityWeightJobSize=10000
	NodeName=n1 NodeAddr=127.0.0.1 Port=29943 CPUs=8
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ --wrap=true --begin=now+1hour "$@"; }
nices() { squeue -h --sort=i -o %y | paste -sd' '; }
submit >/dev/null
submit >/dev/null
third=$(submit)
last=$(submit --nice=100)
seen="submitted: $(nices)"
scontrol top "$last"
seen+="
top of the last: $(nices)"
scontrol top "$last"
seen+="
again: $(nices)"
scontrol top "$third"
seen+="
top of the third: $(nices)"
wanted='submitted: 0 0 0 100
top of the last: 33 33 34 0
again: 33 33 34 0
top of the third: 44 44 0 12'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
