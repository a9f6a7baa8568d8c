#!/usr/bin/env bash
# Version: slurm-wlm-torque 22.05.8-4+deb12u3 (Slurm's wrappers of Torque's commands), with slurmctld and slurmd
#   of that version (Debian 12).
# Guess: qrerun puts a job that runs back into the queue, as "scontrol requeue" does.
# Seen: it never does: it calls the library of this very version with an argument too few, prints how that function is called,
#   and ends with 2. What qrerun is run by (a script for jobs whose node is to be drained) leaves the jobs running.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29954 and 29955 of this
# host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurmd=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-torque=$v libslurm-perl=$v libslurmdb-perl=$v libslurm38=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
perl=$(dirname "$(find root -name Slurm.pm)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} PERL5LIB=$PWD/$perl SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'scancel --quiet --state=RUNNING 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool
cat >slurm.conf <<-END
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29954
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=root
	PluginDir=$lib
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	PriorityType=priority/multifactor
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-n1
	SlurmdLogFile=$PWD/log-n1
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29955 CPUs=16
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
slurmd-wlm -D -c -N n1 >out-n1 2>&1 &
ready() { [[ $(sinfo -h -o %t) == idle ]]; }
wait_for ready
job=$(sbatch --parsable --requeue --output=/dev/null --chdir=/ --wrap='sleep 100')
state() { squeue -h -j "$job" -o %T; }
is() { [[ $(state) == "$1" ]]; }
wait_for is RUNNING
seen=$(
	code=0
	said=$(qrerun "$job" 2>&1) || code=$?
	echo "qrerun: ${said%% at *}, code $code, $(state)"
	scontrol requeue "$job"
	wait_for is PENDING && echo "scontrol requeue: $(state)"
)
echo "$seen"
wanted='qrerun: Usage: Slurm::requeue(self, job_id, state), code 2, RUNNING
scontrol requeue: PENDING'
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
