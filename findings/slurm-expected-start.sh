#!/usr/bin/env bash
# Version: slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: the start that "squeue --start" shows of the first waiting job is when, by the time
#   limits of what runs, the processors that it asks for are free.
# Seen: it is later. Slurm takes the running jobs away in groups, by spans of time that double
#   from 30 s on, looks only after each group, and takes the end of its last job. Beside
#   sixteen jobs of one processor each with limits of 1 to 16 minutes, a job of four
#   processors is expected 5 minutes after those began, one of seven 9 minutes and one of
#   ten 16 minutes after, where 4, 7 and 10 minutes were enough.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29881 and
# 29882 of this host for a minute, as root.
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
trap 'scancel --quiet --state=RUNNING 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool
cat >slurm.conf <<-END
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29881
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=root
	PluginDir=$lib
	StateSaveLocation=$PWD/state
	SlurmdSpoolDir=$PWD/spool
	SlurmctldPidFile=$PWD/pid
	SlurmdPidFile=$PWD/pid-d
	SlurmctldLogFile=$PWD/log
	SlurmdLogFile=$PWD/log-d
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SchedulerParameters=bf_interval=5,bf_resolution=1,sched_interval=2
	PriorityType=priority/basic
	SlurmdParameters=config_overrides
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29882 CPUs=16
	PartitionName=p Nodes=n1 Default=YES State=UP
END
slurmctld-wlm -D -c >out 2>&1 &
slurmd-wlm -D -c -N n1 >out-d 2>&1 &
for _ in $(seq 60); do
	[[ $(sinfo -h -o %t 2>/dev/null) != idle ]] || break
	sleep 1
done
run() { sbatch --parsable --output=/dev/null --chdir=/ --ntasks="$1" --time="$2" --wrap='sleep 300'; }
for minutes in $(seq 16); do run 1 "$minutes" >/dev/null; done
for _ in $(seq 30); do
	[[ $(squeue -h -t RUNNING | wc -l) != 16 ]] || break
	sleep 1
done
began=$(date -d "$(squeue -h -t RUNNING -o %S | sort | head -n 1)" +%s)
seen=''
for tasks in 4 7 10; do
	id=$(run "$tasks" 1)
	for _ in $(seq 30); do
		at=$(squeue -h -j "$id" -o %S)
		[[ $at == N/A ]] || break
		sleep 1
	done
	after=$(($(date -d "$at" +%s) - began))
	seen+="$tasks processors: free after $tasks min by limits, expected after $(((after + 20) / 60)) min"$'\n'
	scancel "$id"
done
printf %s "$seen"
wanted='4 processors: free after 4 min by limits, expected after 5 min
7 processors: free after 7 min by limits, expected after 9 min
10 processors: free after 10 min by limits, expected after 16 min
'
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s' "$wanted"
	exit 1
fi
