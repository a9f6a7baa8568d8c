#!/usr/bin/env bash
# Version: scontrol, squeue, sprio, slurmctld and slurmd 22.05.8-4+deb12u3, priority/multifactor (Debian 12).
# Guess: a job that waits, and whose feature the last node loses, waits on, with a reason that says so. Priority 0 means that somebody
#   has held a job, and that it waits until it is released.
# Seen: it waits with BadConstraints and the priority 0, though nobody has held it, and sprio leaves it out. As soon as a node has the
#   feature again it has a priority again, without a release, at the next look at it. So a script that releases what has
#   priority 0, or counts it as held, is wrong about it. A job that is submitted meanwhile is refused.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29724 and 29732 of this host for some
# seconds, as root.
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
	SlurmctldPort=29724
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29732 CPUs=1 Feature=a,fast
	PartitionName=main Nodes=ALL Default=YES State=UP
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
sbatch --output=/dev/null --chdir=/ --job-name=first --wrap='sleep 300' >/dev/null
runs() { [[ $(squeue -h -n first -o %t) == R ]]; }
wait_for runs
submit() { sbatch --parsable --output=/dev/null --chdir=/ --constraint=fast --wrap=true; }
id=$(submit 2>/dev/null)
show() { squeue -h -j "$id" -o '%T priority %Q' | tr -d '\n'; echo ", $(scontrol -o show job "$id" | grep -oE ' Reason=[A-Za-z]*'), in sprio: $(sprio -h -o %i -j "$id" 2>/dev/null | wc -l)"; }
nothing() { [[ $(squeue -h -j "$id" -o %Q) == 0 ]]; }
something() { [[ $(squeue -h -j "$id" -o "%Q %r") == "1000 Resources" ]]; }
wait_for something
starts() { [[ $(squeue -h -t all -j "$id" -o %t) == CD ]]; }
seen=$(
	show
	scontrol update NodeName=n1 AvailableFeatures=a ActiveFeatures=a >/dev/null
	wait_for nothing
	show
	echo "another one: $(submit 2>&1 | tail -n 1)"
	scontrol update NodeName=n1 AvailableFeatures=a,fast ActiveFeatures=a,fast >/dev/null
	wait_for something
	show
	scancel --name=first
	wait_for starts
	echo "and it has run"
)
wanted='PENDING priority 1000,  Reason=Resources, in sprio: 1
PENDING priority 0,  Reason=BadConstraints, in sprio: 1
another one: sbatch: error: Batch job submission failed: Requested node configuration is not available
PENDING priority 1000,  Reason=Resources, in sprio: 1
and it has run'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
