#!/usr/bin/env bash
# Version: slurm-wlm-torque 22.05.8-4+deb12u3 (Slurm's wrappers of Torque's commands), with slurmctld
#   of that version (Debian 12).
# Guess: "qsub -l nodes=1:ppn=2:bigmem" asks for a node with the property bigmem, which Slurm calls a
#   feature, and "-l pmem=500mb" for as much memory for each process; what the wrapper does
#   not know it refuses.
# Seen: the property is taken for the name of a node, so sbatch refuses the job although a
#   node has that feature; pmem, vmem and gres are left out without a word, and the job
#   is submitted without them; mem is kept.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29885 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-torque=$v libslurm-perl=$v libslurm38=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
perl=$(dirname "$(find root -name Slurm.pm)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} PERL5LIB=$PWD/$perl SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir state
cat >slurm.conf <<-END
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29885
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
	NodeName=n1 NodeAddr=127.0.0.1 Port=29886 CPUs=16 RealMemory=4000 Feature=bigmem
	PartitionName=p Nodes=n1 Default=YES State=UP
END
slurmctld-wlm -D -c >out 2>&1 &
for _ in $(seq 60); do
	! scontrol ping 2>/dev/null | grep -q UP || break
	sleep 1
done
printf '#!/bin/sh\nsleep 1\n' >script
cd / # qsub hands its folder on
submit() { "$tmp/root/usr/bin/qsub" -h -l "$1" -N "$1" -o /dev/null -e /dev/null "$tmp/script" 2>&1 | tr '\n' ' '; }
refused=$(submit nodes=1:ppn=2:bigmem) || true
for ask in mem=500mb pmem=500mb vmem=500mb gres=gpu:1; do submit "$ask" >/dev/null; done
seen=$(
	grep -o "Invalid node name specified" <<<"$refused"
	squeue -h -o '%j memory %m other %b' | sort
)
echo "$seen"
wanted='Invalid node name specified
gres=gpu:1 memory 0 other N/A
mem=500mb memory 500M other N/A
pmem=500mb memory 0 other N/A
vmem=500mb memory 0 other N/A'
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
