#!/usr/bin/env bash
# Version: scontrol, squeue, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: a job whose time limit is longer than what is left of its reservation waits, or is refused, as one that does not fit
#   in before a reservation of others does. What still waits when the reservation ends is an ordinary job that is held, or
#   runs without the reservation; "squeue -t PENDING" has it.
# Seen: of a reservation of one minute a job of ten minutes, and one without a limit, start at once, and are ended when it
#   is over, within half a minute, in the state TIMEOUT, far from their limits. What waits is in a state of its own, RD
#   (RESV_DEL_HOLD), with priority 0, and "squeue -t PENDING" leaves it out, though plain squeue has it; so it does with
#   SE (SPECIAL_EXIT).
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29911 and 29912 of this host for about
# two minutes, as root.
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
	SlurmctldPort=29911
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29912 CPUs=16
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ "$@"; }
special=$(submit --wrap='sleep 300')
running() { [[ $(squeue -h -j "$1" -o %T) == RUNNING ]]; }
wait_for running "$special"
scontrol requeuehold State=SpecialExit "$special"
free() { scontrol create reservation=r starttime=now duration=1 users=root nodes=n1; }
wait_for free
minutes=$(submit --reservation=r --time=10 --wrap='sleep 300')
unlimited=$(submit --reservation=r --wrap='sleep 300')
waits=$(submit --reservation=r --time=10 --exclusive --wrap='sleep 300')
wait_for running "$minutes"
wait_for running "$unlimited"
show() { squeue -h -t all -j "$1" -o '%T, limit %l'; }
seen="ten minutes: $(show "$minutes"); without a limit: $(show "$unlimited")"
over() { [[ -z $(squeue -h -j "$minutes,$unlimited") ]]; }
wait_for over 2>/dev/null || wait_for over
held() { [[ $(squeue -h -j "$waits" -o %t) == RD ]]; }
wait_for held
list() { squeue -h --sort=i "$@" -o '%t %r' | sed 's/$/;/' | xargs; }
ran=$(scontrol show job "$minutes" | grep -oE 'RunTime=[0-9:]+' | tr -d :)
seen+="
afterwards: $(show "$minutes"), less than two minutes of it used: $((10#${ran#RunTime=} < 200 ? 1 : 0)); $(show "$unlimited")
squeue: $(list)
squeue -t PENDING: $(list -t PENDING)
with the names of these states: $(list -t PENDING,SPECIAL_EXIT,RESV_DEL_HOLD)"
wanted='ten minutes: RUNNING, limit 10:00; without a limit: RUNNING, limit UNLIMITED
afterwards: TIMEOUT, limit 10:00, less than two minutes of it used: 1; TIMEOUT, limit UNLIMITED
squeue: SE job requeued in held state; RD Reservation r was deleted;
squeue -t PENDING: 
with the names of these states: SE job requeued in held state; RD Reservation r was deleted;'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
