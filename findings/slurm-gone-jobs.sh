#!/usr/bin/env bash
# Version: squeue, scancel and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: asked for a job that is gone, or never was, squeue and scancel say "Invalid job id specified"
#   and end with 1, of one job as of several.
# Seen: squeue does so for one job; for two it prints nothing and ends with 0. scancel says nothing and ends
#   with 0 as long as it has nothing but ids; with --state or --user beside them it does say so, and
#   ends with 1.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29801 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir state
cat >slurm.conf <<-END
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29801
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
	NodeName=n1 NodeAddr=127.0.0.1 Port=29800 CPUs=16
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
up() { scontrol ping | grep -q UP; }
wait_for up
try() {
	local said code=0
	said=$("$@" 2>&1) || code=$?
	echo "$*: exit $code, ${said:-no word}"
}
seen=$(
	try squeue -h -j 7
	try squeue -h -j 7,8
	try scancel 7
	try scancel 7 8
	try scancel --state=PENDING 7
	try scancel --user=root 7
)
wanted='squeue -h -j 7: exit 1, slurm_load_jobs error: Invalid job id specified
squeue -h -j 7,8: exit 0, no word
scancel 7: exit 0, no word
scancel 7 8: exit 0, no word
scancel --state=PENDING 7: exit 1, scancel: error: Kill job error on job id 7: Invalid job id specified
scancel --user=root 7: exit 1, scancel: error: Kill job error on job id 7: Invalid job id specified'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
