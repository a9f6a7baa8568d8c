#!/usr/bin/env bash
# Version: sbatch, squeue, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: --deadline=now+2minutes with --time=5 is refused at submission, as is --begin after the deadline. Without --time a
#   deadline leaves the job without a limit, as one without a deadline.
# Seen: sbatch takes the first, with an id and exit code 0, and it has ended before it could start, in the state DEADLINE: a
#   script goes on as if it were submitted. Without --time squeue shows UNLIMITED while the job waits, and from its start
#   on a limit, the time that is left until the deadline.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29774 and 29748 of this host for some
# seconds, as root.
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
	SlurmctldPort=29774
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29748 CPUs=16
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
state() { squeue -h --states=all -j "$1" -o '%T limit %l'; }
runs() { [[ $(state "$1") == RUNNING* ]]; }
ask() { # OPTION...
	local id
	if id=$(submit "$@" --wrap=true 2>said); then
		sleep 3
		echo "$*: $(state "$id")"
	else
		echo "$*: $(sed -n 's/.*error: //p' said | head -n 1)"
	fi
}
seen=$(
	ask --deadline=now+2minutes --time=5
	ask --deadline=now+5minutes --begin=now+10minutes
	id=$(submit --hold --deadline=now+5days --wrap='sleep 60')
	echo "--deadline=now+5days, held: $(state "$id")"
	scontrol release "$id"
	wait_for runs "$id"
	echo "--deadline=now+5days, started: $(state "$id" | sed 's/ 4-23:5[89]:00/ less than five days/; s/ 5-00:00:00/ less than five days/')"
)
wanted='--deadline=now+2minutes --time=5: DEADLINE limit 5:00
--deadline=now+5minutes --begin=now+10minutes: Incompatible begin and deadline time specification
--deadline=now+5days, held: PENDING limit UNLIMITED
--deadline=now+5days, started: RUNNING limit less than five days'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
