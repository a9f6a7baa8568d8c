#!/usr/bin/env bash
# Version: sdiag, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: the counters of sdiag count the same things, so that "Jobs submitted" less completed, canceled and failed is what is in
#   the system; a job that ends with 1 is among the failed. "sbatch --test-only" submits nothing and leaves no trace.
# Seen: an array of 10 tasks is 10 submitted, and one canceled if it is cancelled while it waits. A job that ends with 1 is
#   completed, and failed stays 0. --test-only is not counted, and takes a job id all the same: the next job has the
#   one after it.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29775 and 29776 of this host for some
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
	SlurmctldPort=29775
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29776 CPUs=16
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
counters() { sdiag | sed -nE 's/^Jobs (submitted|started|completed|canceled|failed): */\1 /p'; }
since() { paste -d ' ' before <(counters) | awk '{ print $1, $4 - $2 }' | xargs; }
ended() { [[ -z $(squeue -h) ]]; }
seen=$(
	counters >before
	scancel "$(submit --hold --array=1-10 --wrap=true)"
	echo "ten tasks, cancelled: $(since)"
	counters >before
	submit --wrap='exit 1' >/dev/null
	submit --array=1-3 --wrap=true >/dev/null
	wait_for ended
	echo "one with exit code 1, three tasks: $(since)"
	counters >before
	first=$(submit --hold --wrap=true)
	for _ in 1 2 3; do submit --test-only --wrap=true 2>/dev/null; done
	last=$(submit --hold --wrap=true)
	echo "three --test-only between two: $(since), ids $((last - first)) apart"
)
wanted='ten tasks, cancelled: submitted 10 started 0 completed 0 canceled 1 failed 0
one with exit code 1, three tasks: submitted 4 started 4 completed 4 canceled 0 failed 0
three --test-only between two: submitted 2 started 0 completed 0 canceled 0 failed 0, ids 4 apart'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
