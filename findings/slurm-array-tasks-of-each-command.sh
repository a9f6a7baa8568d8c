#!/usr/bin/env bash
# Version: squeue, scontrol, scancel and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: what names two tasks of an array for one of Slurm's commands names them for all: 12_[1-2], as squeue prints them, 12_1-2
#   and 12_1,2, or it is refused.
# Seen: of 12_[1-2] squeue shows nothing, "scontrol show job" says that there is no such job, and "scontrol update" and scancel mean
#   both. 12_1-2 is the first task for squeue, both for "scontrol update", and refused by scancel. 12_1,2 is task 1 and job 2, an
#   other one, for squeue and for "scontrol update", which changes that. 12_1,12_2 is both for all but "scontrol show job".
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29714 of this host for some seconds, as root.
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
	SlurmctldPort=29714
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	FirstJobId=2
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ --hold --wrap=true "$@" 2>/dev/null; }
submit >/dev/null
array=$(submit --array=1-3)
# tasks prints which of job 2 and the tasks a list of lines "JOB TASK" has.
tasks() { sed 's/ N\/A$/ job/' | sort | while read -r _ task; do echo "$task"; done | sed 's/^job$/job 2/' | paste -sd, | sed 's/^$/none/'; }
ids() { squeue -h -r -o '%F %K %k' | awk -v with="$1" '$3 == with {print $1, $2}' | tasks; }
seen=$(
	for which in "${array}_[1-2]" "${array}_1-2" "${array}_1,2" "${array}_1,${array}_2"; do
		text=${which//${array}_/12_}
		echo "squeue $text: $(squeue -h -r -j "$which" -o '%F %K' 2>/dev/null | tasks)"
		echo "show job $text: $(scontrol -o show job "$which" 2>/dev/null | sed -nE 's/^JobId=[0-9]+ (ArrayJobId=[0-9]+ ArrayTaskId=([^ ]*))?.*/a \2/p' | tasks)"
		scontrol update "JobId=$which" "Comment=$text" >/dev/null 2>&1 || true
		echo "update $text: $(ids "$text")"
	done
	for which in "${array}_1-2" "${array}_[1-2]"; do
		code=0
		scancel "$which" 2>/dev/null || code=$?
		sleep 1
		echo "scancel ${which//${array}_/12_} ($code): $(squeue -h -r -t PENDING -j "$array" -o '%F %K' | tasks) left"
	done
)
wanted='squeue 12_[1-2]: none
show job 12_[1-2]: none
update 12_[1-2]: 1,2
squeue 12_1-2: 1
show job 12_1-2: none
update 12_1-2: 1,2
squeue 12_1,2: job 2,1
show job 12_1,2: none
update 12_1,2: job 2,1
squeue 12_1,12_2: 1,2
show job 12_1,12_2: none
update 12_1,12_2: 1,2
scancel 12_1-2 (1): 1,2,3 left
scancel 12_[1-2] (0): 3 left'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
