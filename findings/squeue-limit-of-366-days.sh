#!/usr/bin/env bash
# Version: sbatch, squeue, scontrol and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: squeue shows a limit of 366 days as 366-00:00:00, as scontrol does; a limit that is too long to be kept is refused, or is
#   UNLIMITED.
# Seen: a limit of more than 365 days is INVALID in squeue alone, as is the time left, of a job that is in order. Limits are seconds
#   of 32 bits on the way: --time=49710-0 is 2982615 days, and a day more is 17:32:00. 71582788 minutes are UNLIMITED for sbatch,
#   and no time at all for "scontrol update", and a minute more is a minute.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29405 of this host for some seconds, as root.
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
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29405
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
	NodeName=n1 NodeAddr=127.0.0.1 Port=29406 CPUs=8
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
show() {
	scontrol -o show job "$id" | sed "s/.* TimeLimit=\([^ ]*\) .*/  $1: \1 in scontrol, $(squeue -h -j "$id" -o '%l in squeue, time left %L')/"
}
seen=$(
	for limit in 365-0 365-0:1 366-0 49710-0 49711-0 99999-0 71582788 71582789; do
		echo "$limit"
		id=$(sbatch --parsable --hold --output=/dev/null --chdir=/ --time=$limit --wrap=true)
		show sbatch
		scontrol update JobId="$id" TimeLimit=$limit
		show update
	done
)
wanted='365-0
  sbatch: 365-00:00:00 in scontrol, 365-00:00:00 in squeue, time left 365-00:00:00
  update: 365-00:00:00 in scontrol, 365-00:00:00 in squeue, time left 365-00:00:00
365-0:1
  sbatch: 365-00:01:00 in scontrol, INVALID in squeue, time left INVALID
  update: 365-00:01:00 in scontrol, INVALID in squeue, time left INVALID
366-0
  sbatch: 366-00:00:00 in scontrol, INVALID in squeue, time left INVALID
  update: 366-00:00:00 in scontrol, INVALID in squeue, time left INVALID
49710-0
  sbatch: 2982615-21:49:00 in scontrol, INVALID in squeue, time left INVALID
  update: 2982615-21:49:00 in scontrol, INVALID in squeue, time left INVALID
49711-0
  sbatch: 17:32:00 in scontrol, 17:32:00 in squeue, time left 17:32:00
  update: 17:32:00 in scontrol, 17:32:00 in squeue, time left 17:32:00
99999-0
  sbatch: 578-11:04:00 in scontrol, INVALID in squeue, time left INVALID
  update: 578-11:04:00 in scontrol, INVALID in squeue, time left INVALID
71582788
  sbatch: UNLIMITED in scontrol, UNLIMITED in squeue, time left UNLIMITED
  update: 00:00:00 in scontrol, 0:00 in squeue, time left 0:00
71582789
  sbatch: 00:01:00 in scontrol, 1:00 in squeue, time left 1:00
  update: 00:01:00 in scontrol, 1:00 in squeue, time left 1:00'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
