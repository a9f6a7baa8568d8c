#!/usr/bin/env bash
# Version: squeue, sinfo and slurmctld 22.05.8-4+deb12u3 (Debian 12), serializer_json, openapi/v0.0.38.
# Guess: "squeue --json" with --jobs, --name, --states or --partition has the jobs that squeue lists
#   with these options, and without any those that squeue lists: what waits and runs.
# Seen: it has all jobs that slurmctld still knows, cancelled ones too, whatever the options ask for.
#   So does "sinfo --json", which has all nodes for a partition that has none of them.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29879 of this host for some
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
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29879
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=root
	PluginDir=$lib
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	PriorityType=priority/basic
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeAddr=127.0.0.1 Port=29880 CPUs=16
	PartitionName=p Nodes=n1 Default=YES State=UP
	PartitionName=empty
END
slurmctld-wlm -D -c >out 2>&1 &
for _ in $(seq 60); do
	! scontrol ping 2>/dev/null | grep -q UP || break
	sleep 1
done
for name in first second third; do
	sbatch -H --job-name="$name" --output=/dev/null --chdir=/ --wrap='sleep 1' >/dev/null
done
scancel 3
sleep 2
names() { "$@" --json | grep -oE '"name": *"(first|second|third|n1)"' | sed 's/.*: *//' | tr -d '"' | sort | xargs; }
seen=$(
	echo "squeue: $(squeue -h --sort=i -o %j | xargs)"
	echo "--json: $(names squeue)"
	for option in --jobs=1 --name=first --states=RUNNING --partition=empty; do
		echo "$option: $(squeue -h "$option" -o %j | xargs)"
		echo "$option --json: $(names squeue "$option")"
	done
	echo "sinfo --partition=empty: $(sinfo -h --partition=empty -o %N | xargs)"
	echo "sinfo --partition=empty --json: $(names sinfo --partition=empty)"
)
echo "$seen"
wanted='squeue: first second
--json: first second third
--jobs=1: first
--jobs=1 --json: first second third
--name=first: first
--name=first --json: first second third
--states=RUNNING: 
--states=RUNNING --json: first second third
--partition=empty: 
--partition=empty --json: first second third
sinfo --partition=empty: 
sinfo --partition=empty --json: n1'
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
