#!/usr/bin/env bash
# Version: sbatch, slurmctld and slurmd 22.05.8-4+deb12u3, select/cons_tres (Debian 12).
# Guess: of --nodes=2 --ntasks=8 each of two idle nodes of 8 processors has four tasks; and --nodes=1-2 takes one node where one is
#   enough, two if need be.
# Seen: one node has seven and the other one task: the first node is filled as far as each further one still gets one. So
#   a program of eight ranks has one of them alone behind the network, and what is left for others is 1 and 7. --nodes=1-2 takes
#   both nodes, idle as they are, also for two tasks. --ntasks-per-node=4 is what spreads them; --distribution does not.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and two slurmd on ports 29752 to 29754 of this host for half
# a minute, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurmd=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
ln -s slurmctld-wlm root/usr/sbin/slurmctld # by its name it knows what it is
ln -s slurmd-wlm root/usr/sbin/slurmd
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'scancel --quiet --state=RUNNING 2>/dev/null || true; sleep 1; kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool-n1 spool-n2
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29752
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SlurmdSpoolDir=$PWD/spool-%n
	SlurmdPidFile=$PWD/pid-%n
	SlurmdLogFile=$PWD/log-%n
	SlurmdParameters=config_overrides
	NodeName=n[1-2] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[29753-29754] CPUs=8
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
slurmctld -D -c >out 2>&1 &
slurmd -D -c -N n1 >out-n1 2>&1 &
slurmd -D -c -N n2 >out-n2 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
look() { # OPTIONS
	local id
	# shellcheck disable=SC2016 # the script expands it
	id=$(sbatch --parsable --output="$PWD/out-job" --chdir=/ --wrap='echo $SLURM_TASKS_PER_NODE' "$@")
	# shellcheck disable=SC2317 # wait_for calls it
	done_with() { [[ $(scontrol -o show job "$id") == *JobState=COMPLETED* ]]; }
	wait_for done_with
	echo "$*: $(cat out-job)"
	wait_for ready
}
seen=$(
	look --nodes=2 --ntasks=8
	look --nodes=2 --ntasks=8 --distribution=cyclic
	look --nodes=2 --ntasks=8 --ntasks-per-node=4
	look --nodes=1-2 --ntasks=2
	look --ntasks=2
)
wanted='--nodes=2 --ntasks=8: 7,1
--nodes=2 --ntasks=8 --distribution=cyclic: 7,1
--nodes=2 --ntasks=8 --ntasks-per-node=4: 4(x2)
--nodes=1-2 --ntasks=2: 1(x2)
--ntasks=2: 2'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
