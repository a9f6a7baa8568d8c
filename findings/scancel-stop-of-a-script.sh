#!/usr/bin/env bash
# Version: scancel, squeue, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: "scancel --signal=STOP ID" stops what the job runs, and squeue says so; or it changes nothing of a job without a step of
#   srun, as its signals go to steps alone.
# Seen: squeue says STOPPED, "squeue -t RUNNING" leaves the job out, and the batch script works on, to its end, from which the
#   job is COMPLETED. With --batch as well the script does stop. SIGCONT makes it RUNNING again.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29930 and 29931 of this host for half a
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
	SlurmctldPort=29930
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29931 CPUs=16
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
# work submits a job that writes a line each second, to a file of that name.
work() { sbatch --parsable --output=/dev/null --chdir=/ --wrap="for i in \$(seq 12); do echo >>$PWD/$1; sleep 1; done"; }
state() { squeue -h -t all -j "$1" -o %T; }
began() { [[ -s $1 ]]; }
stopped() { [[ $(state "$1") == STOPPED ]]; }
ended() { [[ $(state "$1") == COMPLETED ]]; }
progress() { # FILE whether lines come
	local before
	sleep 1
	before=$(wc -l <"$1")
	sleep 3
	(($(wc -l <"$1") > before)) && echo 'works on' || echo 'stands still'
}
seen=$(
	id=$(work plain)
	wait_for began plain
	scancel --signal=STOP "$id"
	wait_for stopped "$id"
	echo "STOP: $(state "$id"), in squeue -t RUNNING: $(squeue -h -t RUNNING | wc -l), $(progress plain), still $(state "$id")"
	wait_for ended "$id"
	echo "at its end: $(state "$id"), lines: $(wc -l <plain)"
	id=$(work both)
	wait_for began both
	scancel --batch --signal=STOP "$id"
	wait_for stopped "$id"
	echo "STOP --batch: $(state "$id"), $(progress both)"
	scancel --batch --signal=CONT "$id"
	echo "CONT --batch: $(progress both), $(state "$id")"
	wait_for ended "$id"
	echo "at its end: $(state "$id"), lines: $(wc -l <both)"
)
wanted='STOP: STOPPED, in squeue -t RUNNING: 0, works on, still STOPPED
at its end: COMPLETED, lines: 12
STOP --batch: STOPPED, stands still
CONT --batch: works on, RUNNING
at its end: COMPLETED, lines: 12'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
