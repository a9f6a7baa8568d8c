#!/usr/bin/env bash
# Version: sbatch, squeue, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: "--constraint=gpu --prefer=fast" gives a node with gpu: one that is fast too if there is one, else any other with gpu.
#   Where no node has both it is refused, or --prefer does nothing.
# Seen: the job starts on a node that is fast and has no gpu, if one is free: what is preferred takes the place of what is
#   required, and squeue says that it asked for "fast". If no such node is free it starts on one with gpu, and squeue says "gpu".
#   So the same job fails or works by what else runs. --prefer='gpu&fast' is what keeps the requirement; no node has both here,
#   and sbatch refuses it, where one would think that a preference can be left unmet.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and two slurmd on ports 29986 to 29988 of this host for
# half a minute, as root.
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
	SlurmctldPort=29986
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool/%n
	SlurmdPidFile=$PWD/pid-%n
	SlurmdLogFile=$PWD/log-%n
	SlurmdParameters=config_overrides
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SchedulerParameters=bf_interval=2
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29987 CPUs=1 Features=gpu
	NodeName=n2 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29988 CPUs=1 Features=fast
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
slurmd-wlm -D -c -N n1 >out-n1 2>&1 &
slurmd-wlm -D -c -N n2 >out-n2 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
submit() { sbatch --parsable --output=/dev/null --chdir=/ --wrap='sleep 60' "$@"; }
runs() { [[ $(squeue -h -j "$1" -o %T) == RUNNING ]]; }
look() { # NAME ID
	wait_for runs "$2"
	squeue -h -j "$2" -o "$1: on %N, asked for %f"
}
prefer() { submit --constraint=gpu --prefer=fast; }
seen=$(
	first=$(prefer)
	look 'both are free' "$first"
	look 'the fast one is taken' "$(prefer)"
	scancel --user=root
	wait_for ready
	look 'without --prefer' "$(submit --constraint=gpu)"
	submit --constraint=gpu --prefer='gpu&fast' 2>&1 || echo "code $?"
)
wanted='both are free: on n2, asked for fast
the fast one is taken: on n1, asked for gpu
without --prefer: on n1, asked for gpu
sbatch: error: Batch job submission failed: Requested node configuration is not available
code 1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
