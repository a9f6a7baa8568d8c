#!/usr/bin/env bash
# Version: squeue, sprio, slurmctld and slurmd 22.05.8-4+deb12u3, priority/multifactor (Debian 12).
# Guess: a job for two partitions has the greater one of the two priorities that they give it, or that of the partition that is named
#   first, in squeue, and stands there among the others by it.
# Seen: squeue has 100 where the partitions give it 1000 and 100, whichever is named first, and "squeue --priority", which has a
#   line for each partition, has 100 in both. sprio has both priorities. The scheduler goes by both: the job starts, in the
#   partition of the 1000, before one that squeue shows above it with 500.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29719 and 29729 of this host for half a
# minute, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 slurmd=$v 2>warnings
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
	SlurmctldPort=29719
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	PriorityType=priority/multifactor
	PriorityWeightPartition=1000
	SchedulerParameters=bf_interval=2,sched_interval=2
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29729 CPUs=1
	PartitionName=main Nodes=ALL Default=YES State=UP PriorityJobFactor=100
	PartitionName=short Nodes=ALL State=UP PriorityJobFactor=10
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
slurmd-wlm -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --output=/dev/null --chdir=/ --time=1 --job-name="$1" "${@:2}"; }
submit first --nice=0 --wrap='sleep 15' >/dev/null
runs() { [[ $(squeue -h -n first -o %t) == R ]]; }
wait_for runs
submit main --nice=500 --wrap='sleep 3' >/dev/null
submit main,short --partition=main,short --wrap='sleep 3' >/dev/null
submit short,main --partition=short,main --wrap='sleep 3' >/dev/null
both() { [[ $(sprio -h -o %i | wc -l) == 5 ]]; }
wait_for both
sleep 4
gone() { [[ -z $(squeue -h -t PENDING,RUNNING) ]]; }
seen=$(
	echo "squeue: $(squeue -h -t PENDING --sort=i -o '%j %Q' | paste -sd';')"
	echo "squeue --priority: $(squeue -h -t PENDING --priority --sort=i,P -o '%j %P %Q' | paste -sd';')"
	echo "sprio: $(sprio -h -o '%i %r %Y' | sort | tr -s ' ' | sed -E 's/^ *[0-9]+ //' | paste -sd';')"
	wait_for gone
	echo "started: $(squeue -h -t all -o '%S %j %P' | sort | cut -d' ' -f2- | paste -sd';')"
)
wanted='squeue: main 500;main,short 100;short,main 100
squeue --priority: main main 500;main,short main 100;main,short short 100;short,main main 100;short,main short 100
sprio: main 500;main 1000;short 100;main 1000;short 100
started: first main;main,short main;short,main main;main main'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
