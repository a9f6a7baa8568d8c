#!/usr/bin/env bash
# Version: squeue and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: MIN_MEMORY of squeue (%m, -O MinMemory) is the memory of the job, or tells what it is for, as sacct's 100Mc and 100Mn of
#   earlier releases did: 400M of four processors with --mem-per-cpu=100, 200M of two nodes with --mem=100.
# Seen: it is the number that was asked for, of a processor or of a node, without a mark of which. A job of 400 MB, one of 200
#   and one of 100 all have 100M, and --sort=m has them alike. The sum is in -O tres-alloc, of jobs that wait too; "-O
#   TresAlloc" is "Invalid job format specification", with an exit code of 0.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29909 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
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
	SlurmctldPort=29909
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU_Memory
	NodeName=n[1-2] NodeAddr=127.0.0.1 CPUs=16 RealMemory=4000
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
wait_for scontrol ping
submit() { sbatch --hold --parsable --output=/dev/null --chdir=/ --wrap=true "$@" >>ids; }
submit --ntasks=4 --mem-per-cpu=100
submit --nodes=2 --mem=100
submit --mem=100
show() { squeue -h -j "$(xargs <ids | tr ' ' ,)" --sort=i "$@" | tr -s ' ' | xargs; }
sorted() { squeue -h --sort="$1" -o %i | sed -e "s/^$(sed -n 1p ids)\$/400/" -e "s/^$(sed -n 2p ids)\$/200/" -e "s/^$(sed -n 3p ids)\$/100/" | xargs; }
code=0
squeue -h -O TresAlloc >out-field 2>said || code=$?
seen="%m: $(show -o %m)
-O MinMemory: $(show -O MinMemory)
of these: $(show -O tres-alloc:60 | grep -o 'mem=[^,]*' | xargs)
sorted by m: $(sorted m), by -m: $(sorted -m)
-O TresAlloc: exit $code, $(grep -o 'Invalid job format specification' said)"
wanted='%m: 100M 100M 100M
-O MinMemory: 100M 100M 100M
of these: mem=400M mem=200M mem=100M
sorted by m: 100 200 400, by -m: 100 200 400
-O TresAlloc: exit 0, Invalid job format specification'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
