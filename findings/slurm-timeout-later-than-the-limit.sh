#!/usr/bin/env bash
# Version: slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12), OverTimeLimit and KillWait as they are without setting.
# Guess: a job that uses up its time limit ends with it, within a second or some, so that no run time in accounting
#   is longer than the limit by more.
# Seen: slurmctld looks for such jobs every 30 seconds. Of three jobs with a limit of one minute that start ten seconds
#   apart one runs for at least a quarter of a minute longer. Where job logs want run time <= requested time, a third to
#   a half more than a short limit is no error of the log. One that ignores SIGTERM has its node for another KillWait, 30
#   seconds, in the state COMPLETING; its end is that of the time limit all the same.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29873 and 29874 of
# this host for about three minutes, as root.
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
	SlurmctldPort=29873
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29874 CPUs=16
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
for name in first second third; do
	ignore=
	[[ $name != third ]] || ignore="trap '' TERM; "
	sbatch --job-name="$name" --time=1 --output=/dev/null --chdir=/ --wrap="${ignore}sleep 300" >/dev/null
	sleep 10
done
over() { [[ $(squeue -h -t TIMEOUT -o %i | wc -l) == 3 ]]; }
wait_for over || wait_for over
gone=$(date +%s)
longest=0 shortest=9999
while read -r id; do
	start=$(date -d "$(scontrol show job "$id" | sed -n 's/.*StartTime=\([^ ]*\).*/\1/p')" +%s)
	end=$(date -d "$(scontrol show job "$id" | sed -n 's/.*EndTime=\([^ ]*\).*/\1/p')" +%s)
	((end - start > longest)) && longest=$((end - start))
	((end - start < shortest)) && shortest=$((end - start))
done < <(squeue -h -t TIMEOUT -o %i --sort=i) # the third is the last
seen="the longest, 75 s or more: $((longest >= 75)); 100 s or less: $((longest <= 100))
the shortest, 60 s or more: $((shortest >= 60))
10 s or more between them: $((longest - shortest >= 10))
that ignores SIGTERM, 25 s or more after its end: $((gone - end >= 25))"
wanted='the longest, 75 s or more: 1; 100 s or less: 1
the shortest, 60 s or more: 1
10 s or more between them: 1
that ignores SIGTERM, 25 s or more after its end: 1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
