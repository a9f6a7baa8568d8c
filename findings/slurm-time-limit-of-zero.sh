#!/usr/bin/env bash
# Version: sbatch, scontrol, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: a time limit of 0 is none, as the manual of sbatch says: in "scontrol update TimeLimit=0" as in
#   "sbatch --time=0".
# Seen: --time=0 gives UNLIMITED. TimeLimit=0 gives a limit of no minutes, and a running job is ended for it
#   (TIMEOUT). What takes a limit away is TimeLimit=UNLIMITED.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29827 and 29828 of
# this host for about a minute, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
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
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29827
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=root
	PluginDir=$lib
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	PriorityType=priority/basic
	KillWait=2
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29828 CPUs=16
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
slurmd-wlm -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --output=/dev/null --chdir=/ --hold "$@" --wrap='sleep 90'; }
zero=$(submit --time=0) changed=$(submit --time=60) lifted=$(submit --time=60)
limits() { squeue -h --sort=i -j "$zero,$changed,$lifted" -o '%T %l' | tr '\n' ';'; }
seen="waiting: $(limits)"
scontrol release "$zero,$changed,$lifted"
all() { [[ $(squeue -h -t RUNNING | wc -l) == 3 ]]; }
wait_for all
seen+="
running: $(limits)"
scontrol update jobid="$changed" TimeLimit=0
scontrol update jobid="$lifted" TimeLimit=UNLIMITED
seen+="
after the updates: $(limits)"
state() { scontrol -o show job "$changed" | sed 's/.* JobState=\([A-Z]*\) .*/\1/'; }
over() { [[ $(state) == TIMEOUT ]]; }
wait_for over || wait_for over
seen+="
later: $(state)"
scancel "$zero" "$lifted"
wanted='waiting: PENDING UNLIMITED;PENDING 1:00:00;PENDING 1:00:00;
running: RUNNING UNLIMITED;RUNNING 1:00:00;RUNNING 1:00:00;
after the updates: RUNNING UNLIMITED;RUNNING 0:00;RUNNING UNLIMITED;
later: TIMEOUT'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
