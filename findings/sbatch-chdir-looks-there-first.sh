#!/usr/bin/env bash
# Version: slurm-client and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: "sbatch --chdir=DIR job.sh" submits the job.sh of the folder in which sbatch is run, and lets it
#   run in DIR.
# Seen: it submits DIR/job.sh if there is one, else that of the folder in which it is run. With the full path,
#   or as ./job.sh, it is the one meant.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29810 of this host for some
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
	SlurmctldPort=29810
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
	NodeName=n1 NodeAddr=127.0.0.1 Port=29804 CPUs=16
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
mkdir here there
for dir in here there; do printf '#!/bin/sh\n#SBATCH --job-name=%s\nexit 0\n' "$dir" >"$dir/job.sh"; done
cp here/job.sh here/other.sh
cd here
name() {
	local id
	id=$(sbatch --parsable --hold --output=/dev/null "$@")
	echo "sbatch $*: $(squeue -h -j "$id" -o %j)" | sed "s|$tmp/||g"
}
seen=$(
	name job.sh
	name --chdir="$tmp/there" job.sh
	name --chdir="$tmp/there" ./job.sh
	name --chdir="$tmp/there" "$PWD/job.sh"
	name --chdir="$tmp/there" other.sh
)
wanted='sbatch job.sh: here
sbatch --chdir=there job.sh: there
sbatch --chdir=there ./job.sh: here
sbatch --chdir=there here/job.sh: here
sbatch --chdir=there other.sh: here'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
