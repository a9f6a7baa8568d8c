#!/usr/bin/env bash
# Version: sbatch, scontrol and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: --begin=12/01 on the first of December is the midnight that has passed, so that the job is eligible at once, as with
#   the year before it. "now+1" is a minute, as --time=1, and "now+1h" an hour; what they do not take is refused.
# Seen: a day without its year that is today is in a year. With the year, as 2026-12-01 or 120126, and as "today", it is at once;
#   "today" with a time that has passed is at once too, and the time alone tomorrow. now+1 is a second. "now+1h", "now+1m" and
#   "now+1d" are refused, "now+1hour", "now+1minute" and "now+1day" are taken.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29991 of this host for some seconds, as root.
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
	SlurmctldPort=29991
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=8 State=DOWN
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
# eligible prints how long it is until a job of --begin=TIME is eligible, in what a person would say.
eligible() {
	local id at
	id=$(sbatch --parsable --output=/dev/null --chdir=/ --wrap=true --begin="$1" 2>/dev/null) || {
		echo refused
		return
	}
	at=$(scontrol show job "$id" | grep -oP 'EligibleTime=\K\S+')
	at=$(($(date -d "$at" +%s) - $(date +%s)))
	if ((at <= 0)); then echo 'at once'; elif ((at < 5)); then echo 'a second'; elif ((at < 100)); then echo 'a minute'
	elif ((at < 2 * 3600)); then echo 'an hour'; elif ((at < 49 * 3600)); then echo 'tomorrow'; elif ((at > 300 * 86400)); then echo 'in a year'
	else echo "$at s"; fi
}
# The clock must not strike midnight between the lines, and a minute must have passed since.
while [[ $(date +%H%M) =~ ^(2359|000[01])$ ]]; do sleep 10; done
passed=$(date -d '1 minute ago' +%H:%M)
seen=$(
	for time in "$(date +%m/%d)" "$(date +%m%d%y)" "$(date +%F)" today "$(date +%F)T$passed" "$passed" now+1 now+1minute now+1hour now+1day now+1h now+1m now+1d; do
		echo "$time: $(eligible "$time")"
	done | sed -e "s,$(date +%m/%d):,MM/DD:," -e "s,$(date +%m%d%y),MMDDYY," -e "s,$(date +%F),YYYY-MM-DD," -e "s,$passed,a minute ago,"
)
wanted='MM/DD: in a year
MMDDYY: at once
YYYY-MM-DD: at once
today: at once
YYYY-MM-DDTa minute ago: at once
a minute ago: tomorrow
now+1: a second
now+1minute: a minute
now+1hour: an hour
now+1day: tomorrow
now+1h: refused
now+1m: refused
now+1d: refused'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
