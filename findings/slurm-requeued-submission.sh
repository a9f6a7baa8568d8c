#!/usr/bin/env bash
# Version: slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: a job that "scontrol requeue" puts back into the queue keeps its submission time, waits
#   with its place from then, and starts again at once on the idle node.
# Seen: SubmitTime is the moment of the requeue. The job waits two minutes for its BeginTime although
#   the node is idle, and squeue shows a start and an end meanwhile as if both were known.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29889 and
# 29890 of this host for half a minute, as root.
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
	SlurmctldPort=29889
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29890 CPUs=16
	PartitionName=p Nodes=n1 Default=YES State=UP
END
slurmctld-wlm -D -c >out 2>&1 &
slurmd-wlm -D -c -N n1 >out-d 2>&1 &
for _ in $(seq 60); do
	[[ $(sinfo -h -o %t 2>/dev/null) != idle ]] || break
	sleep 1
done
id=$(sbatch --parsable --output=/dev/null --chdir=/ --time=1 --wrap='sleep 300')
for _ in $(seq 30); do
	[[ $(squeue -h -j "$id" -o %T) != RUNNING ]] || break
	sleep 1
done
field() { date -d "$(squeue -h -j "$id" -o "$1")" +%s; }
before=$(field %V)
sleep 5
scontrol requeue "$id"
for _ in $(seq 30); do
	[[ $(sinfo -h -o %t) != idle || $(squeue -h -j "$id" -o %T) != PENDING ]] || break
	sleep 1
done
after=$(field %V)
seen="submitted later: $((after - before >= 5 ? 1 : 0))
node $(sinfo -h -o %t), job $(squeue -h -j "$id" -o '%T %r')
expected start after the requeue: $((($(field %S) - after) / 60)) min, end $((($(field %e) - $(field %S)) / 60)) min later"
echo "$seen"
wanted='submitted later: 1
node idle, job PENDING BeginTime
expected start after the requeue: 2 min, end 1 min later'
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
