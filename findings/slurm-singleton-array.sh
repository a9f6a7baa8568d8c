#!/usr/bin/env bash
# Version: sbatch, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: --dependency=singleton lets one job of a name and user run at a time; of an array, whose tasks are
#   jobs of one name, one task after the other, as with --array=1-3%1.
# Seen: all tasks of the array run at once. They wait for other jobs of the name, and other jobs for them, but
#   not for each other.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29829 and 29830 of
# this host for some seconds, as root.
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
	SlurmctldPort=29829
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=root
	PluginDir=$lib
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29830 CPUs=16
	PartitionName=p Nodes=n1 Default=YES State=UP
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ --job-name=one --dependency=singleton "$@" --wrap='sleep 9'; }
array=$(submit --array=1-3)
single=$(submit)
running() { squeue -h -t RUNNING -o %i | sort | xargs; }
begun() { [[ -n $(running) ]]; }
wait_for begun
sleep 2
seen="at first: $(running | sed "s/\b$array/array/g; s/\b$single/single/g")"
after() { [[ $(running) == "$single" ]]; }
wait_for after
second=$(submit --array=1-2)
depends() { [[ $(squeue -h -t PENDING -o %r) == Dependency ]]; }
wait_for depends
seen+="
then: $(running | sed "s/\b$single/single/g"); waiting: $(squeue -h -t PENDING -o '%F %r' | sed "s/\b$second/array/g")"
scancel "$single" "$second"
wanted='at first: array_1 array_2 array_3
then: single; waiting: array Dependency'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
