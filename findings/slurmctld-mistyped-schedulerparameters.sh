#!/usr/bin/env bash
# Version: slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: a name in SchedulerParameters that Slurm does not know stops slurmctld, as an unknown name of
#   slurm.conf does, or is at least an error in its log; and so does a word where a number belongs.
# Seen: neither is mentioned, and "scontrol show config" shows both as it does what counts. Only a known name with
#   a number out of range is an error in the log.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29847 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
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
	SlurmctldPort=29847
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SchedulerParameters=bf_interval=0,bf_max_job_tests=5000,bf_windw=2880,default_queue_depth=abc
	NodeName=n1 NodeAddr=127.0.0.1 Port=29848 CPUs=16
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
{ cat slurm.conf && echo SchedulerParametrs=bf_continue; } >other.conf
seen=$(
	SLURM_CONF=$PWD/other.conf scontrol ping 2>&1 | sed -n 's/scontrol: error: /other.conf: /p' | head -n 1 || true
	scontrol show config | sed -n 's/^SchedulerParameters *= /shown: /p'
	for name in bf_interval bf_max_job_tests bf_windw default_queue_depth; do
		echo "errors of $name: $(grep -c "error: .*$name" log || true)"
	done
)
wanted='other.conf: _parse_next_key: Parsing error at unrecognized key: SchedulerParametrs
shown: bf_interval=0,bf_max_job_tests=5000,bf_windw=2880,default_queue_depth=abc
errors of bf_interval: 1
errors of bf_max_job_tests: 0
errors of bf_windw: 0
errors of default_queue_depth: 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
