#!/usr/bin/env bash
# Version: slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: --dependency=afterok:ID with the id of a job that slurmctld does not know, or no longer
#   knows, is refused, or waits; a job whose predecessor failed never starts.
# Seen: it is submitted without that dependency and starts at once, whether the job failed or never was.
#   So the same script waits for ever if it is submitted while slurmctld remembers the failed job
#   (MinJobAge, five minutes unless set), and runs if it is submitted later.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29802 and 29803 of
# this host for one or two minutes, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurmd=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir state spool
cat >slurm.conf <<-END
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29802
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=root
	PluginDir=$lib
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	MinJobAge=10
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29803 CPUs=16
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ "$@" --wrap='exit 0'; }
failed=$(sbatch --parsable --output=/dev/null --chdir=/ --wrap='exit 1')
state() { scontrol -o show job "$1" | sed 's/.* JobState=\([A-Z]*\) Reason=\([A-Za-z]*\) .*/\1 \2/'; }
ended() { [[ $(state "$1") == "$2" ]]; }
wait_for ended "$failed" 'FAILED NonZeroExitCode'
early=$(submit --dependency=afterok:"$failed")
wait_for ended "$early" 'PENDING DependencyNeverSatisfied'
gone() { ! scontrol show job "$failed"; }
wait_for gone || wait_for gone
late=$(submit --dependency=afterok:"$failed")
never=$(submit --dependency=afterok:4711)
wait_for ended "$late" 'COMPLETED None'
wait_for ended "$never" 'COMPLETED None'
seen="after a failed job that is known: $(state "$early")
after one that is gone: $(state "$late")
after one that never was: $(state "$never")"
wanted='after a failed job that is known: PENDING DependencyNeverSatisfied
after one that is gone: COMPLETED None
after one that never was: COMPLETED None'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
