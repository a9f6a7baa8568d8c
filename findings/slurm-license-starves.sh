#!/usr/bin/env bash
# Version: slurmctld and slurmd 22.05.8-4+deb12u3 with sched/backfill (Debian 12).
# Guess: backfill keeps licenses for the job at the head of the queue, as it keeps processors: a job that
#   asks for one of two licenses for a day does not start before one that asks for both and has more priority.
# Seen: it starts at once, and so do all that follow: the job that asks for both waits until nobody else
#   asks for one. No start is foretold for it (N/A). The same with processors waits, and has a start.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29843 and 29844 of
# this host for half a minute, as root.
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
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29843
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
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	Licenses=app:2
	SchedulerParameters=bf_interval=2
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29844 CPUs=16
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
slurmd-wlm -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --output=/dev/null --chdir=/ "$@"; }

runs() { [[ $(squeue -h -j "$1" -o %T) == RUNNING ]]; }
queue() { # WHAT-HALF WHAT-ALL: who waits behind a job that needs all
	local first second
	first=$(submit --job-name=half "$1" --time=10 --wrap='sleep 60')
	wait_for runs "$first"
	second=$(submit --job-name=all "$2" --time=10 --wrap='sleep 60')
	sleep 1
	submit --job-name=later "$1" --time=1-0 --wrap='sleep 60' >/dev/null
	sleep 8
	squeue -h --sort=i -o '%j %T'
	squeue -h -j "$second" -o %S | grep -q N/A && echo 'all: no start' || echo 'all: a start'
	scancel --user=root
	wait_for sinfo -h -t idle -o %D
	sleep 2
}
seen=$(
	echo processors
	queue --ntasks=8 --ntasks=16
	echo licenses
	queue --licenses=app:1 --licenses=app:2
)
wanted='processors
half RUNNING
all PENDING
later PENDING
all: a start
licenses
half RUNNING
all PENDING
later RUNNING
all: no start'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
