#!/usr/bin/env bash
# Version: sbatch, squeue, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: of --time=60 --time-min=2 a job has its hour where there is room for it, and else as much as there is: half an
#   hour before a reservation that begins then.
# Seen: backfill gives it the least, 2 minutes, on a node that nobody else wants, as before a reservation; the job is ended
#   then, and the hour is shown nowhere any more. The main scheduler gives it the hour. Which of the two comes to it first is
#   chance on an idle machine; beyond default_queue_depth it is backfill.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and two slurmd on ports 29771 to 29773 of this host for half a
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
mkdir state spool-n1 spool-n2
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29771
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool-%n
	SlurmdPidFile=$PWD/pid-d-%n
	SlurmdLogFile=$PWD/log-d-%n
	SlurmdParameters=config_overrides
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SchedulerParameters=defer,default_queue_depth=1,bf_interval=2
	NodeName=n[1-2] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[29772-29773] CPUs=16
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ "$@"; }
runs() { [[ $(squeue -h -j "$1" -o %T) == RUNNING ]]; }
start() { # NAME OPTION...
	local id
	id=$(submit "${@:2}" --wrap='sleep 60')
	wait_for runs "$id"
	echo "$1: $(scontrol -o show job "$id" | grep -oE '(Scheduler|Time(Limit|Min))=[^ ]*' | xargs)"
	scancel "$id"
}
submit --nodelist=n1 --ntasks=16 --wrap='sleep 60' >/dev/null
submit --nodelist=n1 --ntasks=16 --time=1 --wrap=true >/dev/null # for which n1 is kept
seen=$(
	start 'an idle node' --time=60 --time-min=2
	scontrol create reservation ReservationName=r StartTime=now+32minutes Duration=60 Users=nobody Nodes=n2 >/dev/null
	start 'half an hour until a reservation' --time=60 --time-min=2
	start 'the same, --time=30' --time=30 | sed 's/Scheduler=.*/started/'
)
wanted='an idle node: TimeLimit=00:02:00 TimeMin=00:02:00 Scheduler=Backfill
half an hour until a reservation: TimeLimit=00:02:00 TimeMin=00:02:00 Scheduler=Backfill
the same, --time=30: TimeLimit=00:30:00 TimeMin=N/A started'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
