#!/usr/bin/env bash
# Version: scancel and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: scancel of a job that is not there says so and ends with 1, as "scontrol hold" does; of a job that has ended it says so
#   too, or counts it as done. A partition that is not there is an error.
# Seen: of a number that no job ever had scancel says nothing, and ends with 0, as of a job that it cancelled; with any filter beside
#   it, such as --state, it is an error with exit code 1. Of a list with such a number the others are cancelled, and the code is 0.
#   A mistyped partition, QOS, reservation, node or name is 0 as well, a user an error. So a script that ends with 0 has cancelled
#   what it was told to, or nothing.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29709 of this host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
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
	SlurmctldPort=29709
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=8 State=DOWN
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
up() { scontrol ping | grep -q UP; }
wait_for up
for _ in 1 2; do sbatch --parsable --output=/dev/null --chdir=/ --hold --wrap=true >/dev/null 2>&1; done
try() { # COMMAND
	local code=0
	"$@" >said 2>&1 || code=$?
	echo "$* ($code): $({ grep . said || echo nothing; } | head -n 1)"
}
gone() { [[ $(squeue -h | wc -l) == 1 ]]; }
seen=$(
	try scontrol hold 999
	try scancel 999
	try scancel 1 999
	wait_for gone
	try scancel 1
	try scancel --state=PENDING 999
	try scancel --state=PENDING 1
	try scancel --user=root 999
	try scancel --partition=nosuch
	try scancel --qos=nosuch
	try scancel --nodelist=nosuch
	try scancel --reservation=nosuch
	try scancel --name=nosuch
	try scancel --user=nosuch
	echo "left: $(squeue -h -o %i)"
)
wanted='scontrol hold 999 (1): Invalid job id specified for job 999
scancel 999 (0): nothing
scancel 1 999 (0): nothing
scancel 1 (0): nothing
scancel --state=PENDING 999 (1): scancel: error: Kill job error on job id 999: Invalid job id specified
scancel --state=PENDING 1 (1): scancel: error: Kill job error on job id 1: Invalid job id specified
scancel --user=root 999 (1): scancel: error: Kill job error on job id 999: Invalid job id specified
scancel --partition=nosuch (0): nothing
scancel --qos=nosuch (0): nothing
scancel --nodelist=nosuch (0): nothing
scancel --reservation=nosuch (0): nothing
scancel --name=nosuch (0): nothing
scancel --user=nosuch (1): scancel: error: Invalid user name: nosuch
left: 2'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
