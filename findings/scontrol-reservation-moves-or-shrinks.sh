#!/usr/bin/env bash
# Version: scontrol and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: "scontrol update Reservation=r StartTime=…" moves the reservation, or moves its start alone; of two reservations that
#   scontrol shows alike it does the same. Each value that is given replaces what was there.
# Seen: one that was made with Duration moves as a whole; one that was made with EndTime keeps its end, and so loses an hour
#   of its two, or grows, though scontrol shows the same times and the same Duration of both. A start beyond that end is refused.
#   Users= replaces the list, "Users=-nobody" takes one out of it, and Flags= is added to the flags that are there.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29932 of this host for some
# seconds, as root.
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
	SlurmctldPort=29932
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n[1-2] NodeAddr=127.0.0.1 CPUs=16
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
wait_for scontrol ping
change() { scontrol "$@" >/dev/null 2>said || grep -o 'Invalid time specified' said | head -n 1; }
# make makes a reservation of 2099, which never begins meanwhile.
make() { change create "Reservation=$1" StartTime=2099-01-01T10:00:00 "$3" Users=root,nobody "Nodes=$2"; }
times() { scontrol -o show reservation "$1" | sed -E 's/.*StartTime=[^T]*T(..):.* EndTime=[^T]*T(..):.* Duration=(..):.*/from \1 to \2, duration \3/'; }
both() {
	local name
	for name in long until; do
		echo "  $name: $(change update "Reservation=$name" "$@" | sed 's/$/, /')$(times "$name")"
	done
}
# long is made with a duration, until with an end.
make long n1 Duration=120
make until n2 EndTime=2099-01-01T12:00:00
show() { scontrol -o show reservation long | grep -oE "$1=[^ ]*"; }
seen="at first:
$(both Comment=x)
start at 11:
$(both StartTime=2099-01-01T11:00:00)
start at 09:
$(both StartTime=2099-01-01T09:00:00)
start at 20:
$(both StartTime=2099-01-01T20:00:00)
$(show Users), without nobody: $(change update Reservation=long Users=-nobody; show Users)
$(change update Reservation=long Flags=MAINT; change update Reservation=long Flags=IGNORE_JOBS; show Flags)"
wanted='at first:
  long: from 10 to 12, duration 02
  until: from 10 to 12, duration 02
start at 11:
  long: from 11 to 13, duration 02
  until: from 11 to 12, duration 01
start at 09:
  long: from 09 to 11, duration 02
  until: from 09 to 12, duration 03
start at 20:
  long: from 20 to 22, duration 02
  until: Invalid time specified, from 09 to 12, duration 03
Users=root,nobody, without nobody: Users=root
Flags=MAINT,IGNORE_JOBS,SPEC_NODES'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
