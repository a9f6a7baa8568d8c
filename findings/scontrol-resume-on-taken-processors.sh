#!/usr/bin/env bash
# Version: scontrol, sinfo, slurmctld and slurmd 22.05.8-4+deb12u3, select/cons_tres without OverSubscribe (Debian 12).
# Guess: "scontrol resume" of a suspended job whose processors another job has by then waits until they are free, or is
#   refused, as processors of a partition without OverSubscribe have one job at a time. Whatever runs counts as allocated.
# Seen: it runs at once, beside the other: two jobs of 8 processors on a node of 8. When the other ends, all processors count as
#   idle though the resumed job runs on them, and a third job is started there too. So the processors of the jobs that run
#   are more than the machine has, and what sinfo shows as idle is not.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29940 and 29941 of this host for
# some seconds, as root.
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
	SlurmctldPort=29940
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
	SlurmdPidFile=$PWD/pid-n1
	SlurmdLogFile=$PWD/log-n1
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29941 CPUs=8
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
ready() { [[ $(sinfo -h -o %t) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --output=/dev/null --chdir=/ --wrap='sleep 100' --ntasks=8; }
is() { [[ $(squeue -h -j "$1" -o %T) == "$2" ]]; }
gone() { [[ -z $(squeue -h -t R,CG -j "$1") ]]; }
cpus() { echo "$(sinfo -h -o %C) (allocated, idle, other, all), running jobs have $(squeue -h -t R -o %C | paste -sd+)"; }
first=$(submit)
wait_for is "$first" RUNNING
scontrol suspend "$first"
second=$(submit)
wait_for is "$second" RUNNING
seen="suspended: $(cpus)"
scontrol resume "$first"
wait_for is "$first" RUNNING
seen+="
resumed: $(cpus)"
scancel "$second"
wait_for gone "$second"
seen+="
the other gone: $(cpus)"
third=$(submit)
wait_for is "$third" RUNNING
seen+="
a third: $(cpus)"
wanted='suspended: 8/0/0/8 (allocated, idle, other, all), running jobs have 8
resumed: 8/0/0/8 (allocated, idle, other, all), running jobs have 8+8
the other gone: 0/8/0/8 (allocated, idle, other, all), running jobs have 8
a third: 8/0/0/8 (allocated, idle, other, all), running jobs have 8+8'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
