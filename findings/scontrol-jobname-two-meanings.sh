#!/usr/bin/env bash
# Version: scontrol and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: "scontrol update JobName=NAME Nice=5" without a JobId is refused, as JobName is what a job is to be called, and so it is
#   with an empty one, "JobId=".
# Seen: the first changes all jobs of that name, for an operator those of all users; with "JobId=ID" the same words rename the
#   one job, and with "JobId=" they do nothing, and end with 0. So a script whose list of jobs came out empty says that all went well,
#   or changes the jobs of others. "hold jobname=NAME" finds jobs by name, too; "requeue" does not.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29970 of this host for some seconds, as root.
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
	SlurmctldPort=29970
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
	NodeName=n1 NodeAddr=127.0.0.1 Port=29971 CPUs=8
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ --wrap=true --begin=now+1hour "$@"; }
queue() { squeue -h --sort=i -o '%j of %u nice %y' | paste -sd';'; }
submit --job-name=plot >/dev/null
submit --job-name=plot --uid=nobody >/dev/null
other=$(submit --job-name=other)
tries() {
	local code=0
	scontrol "$@" >/dev/null 2>&1 || code=$?
	echo "$* ($code): $(queue)"
}
seen=$(
	tries update JobName=plot Nice=5
	tries update JobId= JobName=plot Nice=6
	tries update JobName=plot UserId=nobody Nice=7
	tries update "JobId=$other" JobName=plot
	tries hold jobname=plot
	echo "held: $(squeue -h -o %r | grep -c JobHeld)"
	tries requeue jobname=plot
)
wanted='update JobName=plot Nice=5 (0): plot of root nice 5;plot of nobody nice 5;other of root nice 0
update JobId= JobName=plot Nice=6 (0): plot of root nice 5;plot of nobody nice 5;other of root nice 0
update JobName=plot UserId=nobody Nice=7 (0): plot of root nice 5;plot of nobody nice 7;other of root nice 0
update JobId=3 JobName=plot (0): plot of root nice 5;plot of nobody nice 7;plot of root nice 0
hold jobname=plot (0): plot of root nice 5;plot of nobody nice 7;plot of root nice 0
held: 3
requeue jobname=plot (1): plot of root nice 5;plot of nobody nice 7;plot of root nice 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
