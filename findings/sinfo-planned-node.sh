#!/usr/bin/env bash
# Version: sinfo, slurmctld and slurmd 22.05.8-4+deb12u3 with sched/backfill (Debian 12).
# Guess: a node without jobs is "idle" in what sinfo prints.
# Seen: while backfill keeps it for a job that waits for more nodes it is "plnd" (IDLE+PLANNED in scontrol), in a
#   line of its own, so who counts lines or states "idle" of sinfo finds too few; though it takes other jobs.
#   "sinfo --states=idle" has it, and then prints "plnd"; %A counts it as idle.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and two slurmd on ports 29849 to 29851 of
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
	SlurmctldPort=29849
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29850 CPUs=16
	NodeName=n2 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29851 CPUs=16
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
slurmd-wlm -D -c -N n1 >out-n1 2>&1 &
slurmd-wlm -D -c -N n2 >out-n2 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --output=/dev/null --chdir=/ "$@"; }

submit --nodelist=n1 --exclusive --time=10 --wrap='sleep 60' >/dev/null
submit --nodes=2 --exclusive --time=10 --wrap=true >/dev/null
planned() { scontrol show node n2 | grep -q 'State=IDLE+PLANNED'; }
wait_for planned
runs() { [[ $(squeue -h -j "$1" -o '%T %N') == 'RUNNING n2' ]]; }
seen=$(
	sinfo -h -o '%t %N' | sort
	echo "--states=idle: $(sinfo -h --states=idle -o '%t %N')"
	echo "idle by %A: $(sinfo -h -o %A | awk -F/ '{ all += $2 } END { print all }')"
	id=$(submit --nodes=1 --time=5 --wrap='sleep 60')
	wait_for runs "$id" && echo 'takes a job of 5 minutes'
)
wanted='alloc n1
plnd n2
--states=idle: plnd n2
idle by %A: 1
takes a job of 5 minutes'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
