#!/usr/bin/env bash
# Version: scontrol, squeue and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: "scontrol update TimeLimit=+60" of a job without a limit leaves it without, or is refused; "TimeLimit=-5" is
#   refused.
# Seen: it gives a limit of 59 minutes: without a limit is a number like another, and the sum wraps around. +1 gives 0.
#   TimeLimit=-5 gives a limit of 8000 years, which squeue shows as INVALID. Who gives all waiting jobs ten more minutes
#   gives nine to those that had no end.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29762 of this host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
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
	SlurmctldPort=29762
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29747 CPUs=16
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ "$@"; }
change() { # LIMIT CHANGE
	local id
	id=$(submit --hold --time="$1" --wrap=true)
	scontrol update jobid="$id" TimeLimit="$2" || echo refused
	echo "$1 and $2: squeue $(squeue -h -j "$id" -o %l), scontrol $(scontrol -o show job "$id" | grep -o 'TimeLimit=[^ ]*')"
}
seen=$(
	change 30 +60
	change UNLIMITED +60
	change UNLIMITED +10
	change UNLIMITED +1
	change UNLIMITED -5
)
wanted='30 and +60: squeue 1:30:00, scontrol TimeLimit=01:30:00
UNLIMITED and +60: squeue 59:00, scontrol TimeLimit=00:59:00
UNLIMITED and +10: squeue 9:00, scontrol TimeLimit=00:09:00
UNLIMITED and +1: squeue 0:00, scontrol TimeLimit=00:00:00
UNLIMITED and -5: squeue INVALID, scontrol TimeLimit=2982616-04:10:00'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
