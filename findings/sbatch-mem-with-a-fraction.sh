#!/usr/bin/env bash
# Version: sbatch, scontrol, squeue and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: Slurm takes the sizes that it prints: where scontrol says mem=2.50G of a job, --mem=2.50G gives another one like
#   it.
# Seen: it prints fractions and takes none: --mem=2.50G, --mem=1.5T and MinMemoryNode=2.5G are refused. A size in
#   kilobytes is rounded up to megabytes, so 1100K is 2M.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29743 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29743
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU_Memory
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeAddr=127.0.0.1 Port=29744 CPUs=16 RealMemory=64000
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
ready() { scontrol ping | grep -q UP; }
wait_for ready
submit() { sbatch --hold --parsable --output=/dev/null --chdir=/ --wrap=true "$@"; }
sizes() { scontrol -o show job "$1" | grep -oE 'mem=[^, ]*|MinMemoryNode=[^ ]*' | xargs; }
tried() { # COMMAND...
	local code=0
	"$@" >/dev/null 2>said || code=$?
	echo "exit $code, $(grep -oE 'Invalid.*|Request aborted' said | xargs)"
}
id=$(submit --mem=2560)
seen="--mem=2560: $(sizes "$id"), squeue $(squeue -h -j "$id" -o %m)
--mem=2.50G: $(tried submit --mem=2.50G)
--mem=1.5T: $(tried submit --mem=1.5T)
MinMemoryNode=2.5G: $(tried scontrol update jobid="$id" MinMemoryNode=2.5G)
--mem=1100K: $(sizes "$(submit --mem=1100K)")"
wanted='--mem=2560: mem=2.50G MinMemoryNode=2.50G, squeue 2.50G
--mem=2.50G: exit 255, Invalid --mem specification
--mem=1.5T: exit 255, Invalid --mem specification
MinMemoryNode=2.5G: exit 1, Invalid MinMemoryNode value: 2.5G
--mem=1100K: mem=2M MinMemoryNode=2M'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
