#!/usr/bin/env bash
# Version: strigger, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: "strigger --set --jobid=ID --time --offset=-60" runs its program a minute before the job reaches its time limit, and
#   never if the job ends before that; its trigger goes with the job.
# Seen: it runs it as well when a job with a limit of an hour ends after three seconds, at slurmctld's next look (every 15 s): a
#   program that warns, or asks for more time, says so of each job that ended in good time. It gets the id alone, and no
#   word of which of the two it was.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29907 and 29908 of this host for half a
# minute, as root.
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
mkdir state spool
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29907
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29908 CPUs=16
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
# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\necho "time is short: $*" >>%s/told\n' "$PWD" >warn
chmod 755 warn
touch told
submit() { sbatch --parsable --output=/dev/null --chdir=/ --time=60 "$@"; }
short=$(submit --wrap='sleep 3')
long=$(submit --wrap='sleep 300')
for id in "$short" "$long"; do strigger --set "--jobid=$id" --time --offset=-60 "--program=$PWD/warn"; done
told() { [[ -s told ]]; }
wait_for told
seen="$(sed "s/ $short\$/ the short one/; s/ $long\$/ the long one/" told)
the short one: $(squeue -h -t all -j "$short" -o '%T, limit %l'), the long one: $(squeue -h -j "$long" -o %T)
triggers left: $(strigger --get --noheader | awk '{ print $2, $3, $4 }' | sed "s/ $long / of the long one /")"
wanted='time is short: the short one
the short one: COMPLETED, limit 1:00:00, the long one: RUNNING
triggers left: job of the long one time'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
