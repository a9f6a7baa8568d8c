#!/usr/bin/env bash
# Version: slurmctld, scontrol and sbatch 22.05.8-4+deb12u3 (Debian 12).
# Guess: what a PartitionName line says of its partition goes before what PartitionName=DEFAULT says of all: DefMemPerCPU=50 of
#   the partition holds, and DefMemPerNode of DEFAULT does not. DefMemPerNode=0 in a later DEFAULT line takes it back.
# Seen: DefMemPerNode wins wherever it stands, so the 50 MB for each processor are dropped, and a job of four processors has 100 MB
#   where its partition says 200; the words of the two are compared, not the lines. So it is with MaxMemPerNode and
#   MaxMemPerCPU. DefMemPerNode=0 is no limit at all, and the 50 MB are dropped for it too: such a job takes all the memory of
#   its node. There is an error in the log and of each command.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29735 of this host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29735
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
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=8 RealMemory=8000 State=DOWN
	PartitionName=before State=UP Nodes=ALL DefMemPerCPU=50
	PartitionName=DEFAULT Nodes=ALL State=UP DefMemPerNode=100 MaxMemPerNode=1000
	PartitionName=plain Default=YES
	PartitionName=own DefMemPerCPU=50 MaxMemPerCPU=60
	PartitionName=DEFAULT DefMemPerNode=0
	PartitionName=back DefMemPerCPU=50
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
seen=$(
	for partition in before plain own back; do
		id=$(sbatch --parsable --output=/dev/null --chdir=/ --hold --ntasks=4 --partition=$partition --wrap=true 2>/dev/null)
		echo "$partition: $(scontrol show partition $partition 2>/dev/null | grep -oE '(Def|Max)Mem[^ ]*' | xargs), a job of 4 has $(squeue -h -j "$id" -O tres-alloc:60 2>/dev/null | grep -oE 'mem=[^,]*')"
	done
	scontrol show config 2>&1 >/dev/null | sort -u
)
wanted='before: DefMemPerCPU=50 MaxMemPerNode=UNLIMITED, a job of 4 has mem=200M
plain: DefMemPerNode=100 MaxMemPerNode=1000, a job of 4 has mem=100M
own: DefMemPerNode=100 MaxMemPerNode=1000, a job of 4 has mem=100M
back: DefMemPerNode=UNLIMITED MaxMemPerNode=1000, a job of 4 has mem=8000M
scontrol: error: DefMemPerCPU ignored, since it'\''s mutually exclusive with DefMemPerNode
scontrol: error: MaxMemPerCPU ignored, since it'\''s mutually exclusive with MaxMemPerNode'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
