#!/usr/bin/env bash
# Version: slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12), jobcomp/filetxt.
# Guess: the file of jobcomp/filetxt has a line for each job that has ended, with the state that it ended in and the resources
#   that it had. What sbatch refuses was never a job.
# Seen: a job that sbatch refuses, as its memory is more than any node has, is a line there: FAILED, exit code 0:1, with the
#   moment of the refusal as its start and its end. A requeue writes a line with the state PENDING, so a job has several. Tres
#   is what was asked for, node=1 beside NodeCnt=2; and a name with spaces is not quoted. What tells jobs that ran is
#   NodeList, which is (null) of those that did not.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and two slurmd on ports 29913 to 29915 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurmd=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'scancel --quiet --state=RUNNING 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool-n1 spool-n2
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29913
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool-%n
	SlurmdPidFile=$PWD/pid-%n
	SlurmdLogFile=$PWD/log-%n
	SlurmdParameters=config_overrides
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	JobCompType=jobcomp/filetxt
	JobCompLoc=$PWD/completed
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29914 CPUs=16
	NodeName=n2 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29915 CPUs=16
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
for node in n1 n2; do slurmd-wlm -D -c -N "$node" >"out-$node" 2>&1 & done
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --output=/dev/null --chdir=/ --time=5 "$@"; }
running() { [[ $(squeue -h -j "$1" -o %T) == RUNNING ]]; }
code=0
submit --job-name=large --mem=500G --wrap=true 2>said || code=$?
two=$(submit --job-name='two nodes' --ntasks=20 --wrap='sleep 300')
wait_for running "$two"
scontrol requeue "$two"
waiting() { [[ $(squeue -h -j "$two" -o %T) == PENDING ]]; }
wait_for waiting
scancel "$two"
lines() { [[ $(wc -l <completed) == 3 ]]; }
wait_for lines
show() { grep " Name=$1 " completed | sed -E 's/.* (Name=.*) Partition.* (NodeList=.*) ProcCnt.* Tres=[^ ]*(node=[0-9]+)[^ ]* .* (ExitCode=[^ ]*) *$/\1 \2 Tres \3 \4/'; }
seen="sbatch: exit $code, $(grep -o 'failed: .*' said)
$(show large), with a start: $(grep -c ' Name=large .* StartTime=20' completed)
$(show 'two nodes')"
wanted='sbatch: exit 1, failed: Requested node configuration is not available
Name=large JobState=FAILED NodeList=(null) NodeCnt=0 Tres node=1 ExitCode=0:1, with a start: 1
Name=two nodes JobState=PENDING NodeList=n[1-2] NodeCnt=2 Tres node=1 ExitCode=0:0
Name=two nodes JobState=CANCELLED NodeList=(null) NodeCnt=0 Tres node=1 ExitCode=0:0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
