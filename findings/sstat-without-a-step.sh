#!/usr/bin/env bash
# Version: sstat, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12), jobacct_gather/linux.
# Guess: "sstat -j ID" of a batch job that runs shows what it uses, as "sacct -j ID" shows all steps; of a job that is not
#   there, or no longer, it fails.
# Seen: a job without srun has the step batch alone, and of it sstat prints nothing and ends with 0: a watcher of memory sees
#   none. "-a" or ID.batch shows it. Once there is a step of srun, that one is shown, and the batch script is not. Of a job
#   that is gone it prints nothing as well, on standard output, and ends with 0.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29798 and 29799 of
# this host for some seconds, as root.
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
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29798
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=root
	PluginDir=$lib
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	JobAcctGatherType=jobacct_gather/linux
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29799 CPUs=4
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
plain=$(sbatch --parsable --output=/dev/null --chdir=/ --wrap='sleep 60')
stepped=$(sbatch --parsable --output=/dev/null --chdir=/ --wrap='srun sleep 60')
gone=$(sbatch --parsable --wait --output=/dev/null --chdir=/ --wrap=true)
begun() { [[ $(squeue -h -s -o %i | grep -c "^$stepped\.0") == 1 && $(sstat -n -P -j "$plain.batch" -o JobID) ]]; }
wait_for begun
ask() { # OPTIONS
	local code=0
	sstat -n -P -o JobID "$@" >out-stat 2>warnings-stat || code=$?
	echo "code $code, shows $(sed "s/^$plain/ID/; s/^$stepped/ID/" out-stat | xargs)"
}
seen="without srun: $(ask -j "$plain")
without srun, -a: $(ask -a -j "$plain")
without srun, ID.batch: $(ask -j "$plain.batch")
with srun: $(ask -j "$stepped")
with srun, -a: $(ask -a -j "$stepped")
gone: $(ask -j "$gone")"
scancel "$plain" "$stepped"
wanted='without srun: code 0, shows 
without srun, -a: code 0, shows ID.batch
without srun, ID.batch: code 0, shows ID.batch
with srun: code 0, shows ID.0
with srun, -a: code 0, shows ID.batch ID.0
gone: code 0, shows '
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
