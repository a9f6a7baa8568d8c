#!/usr/bin/env bash
# Version: srun, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: in a job of 4 tasks "srun --ntasks=1 prog &", three times and then wait, runs three programs side by side, each on one of
#   the job's processors, as scripts for parameter studies have it.
# Seen: they run one after the other: each step takes all processors of the job on its node, and the next one waits for it. A job of
#   three programs takes three times as long and leaves most of its processors idle. With --exact they run side by side.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29962 and 29963 of this host for
# half a minute, as root.
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
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29962
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
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-n1
	SlurmdLogFile=$PWD/log-n1
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29963 CPUs=8
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
ready() { [[ $(sinfo -h -o %t) == idle ]]; }
wait_for ready
gone() { [[ -z $(squeue -h -j "$1" 2>/dev/null) ]]; }
tries() { # OPTION
	local id
	rm -f times
	id=$(sbatch --parsable --ntasks=4 --output=/dev/null --chdir="$PWD" --wrap="
		for i in 1 2 3; do srun --ntasks=1 $1 sh -c 'echo \$SLURM_STEP_ID + >>times; sleep 4; echo \$SLURM_STEP_ID - >>times' & done
		wait")
	wait_for gone "$id"
	awk '$2 == "+" {n++} $2 == "-" {n--} n > most {most = n} END {print NR / 2 " steps, at most " most " at a time"}' times
}
seen="as it is: $(tries '')
--exact: $(tries --exact)"
wanted='as it is: 3 steps, at most 1 at a time
--exact: 3 steps, at most 3 at a time'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
