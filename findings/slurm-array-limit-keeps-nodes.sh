#!/usr/bin/env bash
# Version: slurmctld and slurmd 22.05.8-4+deb12u3 with sched/backfill (Debian 12).
# Guess: of an array with %1 one task runs at a time, so backfill keeps nodes for one task. A short job starts beside
#   the place of the first task, on a node where nothing but the second task could come, which may not run by then.
# Seen: it waits: backfill keeps the node for the second task, too, as long as none runs, whatever %N says, up to
#   bf_max_job_array_resv (20) of them. Once the second task is cancelled, the job starts. So arrays with %N keep the
#   jobs of others from nodes that nobody will use. (From 23.02.4 on it starts at once; seen with 24.11.)
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and two slurmds on ports 29900 to 29902 of
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
mkdir -p state spool/n1 spool/n2
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29900
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
	SlurmdSpoolDir=$PWD/spool/%n
	SlurmdPidFile=$PWD/pid-%n
	SlurmdLogFile=$PWD/log-%n
	SlurmdParameters=config_overrides
	SchedulerParameters=bf_interval=2
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29901 CPUs=4
	NodeName=n2 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29902 CPUs=4
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
slurmd-wlm -D -c -N n1 >out-1 2>&1 &
slurmd-wlm -D -c -N n2 >out-2 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --output=/dev/null --chdir=/ --wrap='sleep 600' "$@"; }
runs() { [[ $(squeue -h -j "$1" -o %T) == RUNNING ]]; }
first=$(submit --nodelist=n1 --ntasks=4 --time=5)
second=$(submit --nodelist=n2 --ntasks=2 --time=8)
wait_for runs "$first"
wait_for runs "$second"
array=$(submit --array=1-2%1 --ntasks=4 --nodes=1 --time=10)
job=$(submit --nice=9000 --time=10)
sleep 10 # some looks of the backfill scheduler
seen=$(
	echo "beside the array: $(squeue -h -j "$job" -o %T)"
	scancel "${array}_2"
	sleep 6
	echo "beside its first task: $(squeue -h -j "$job" -o %T)"
)
wanted='beside the array: PENDING
beside its first task: RUNNING'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
