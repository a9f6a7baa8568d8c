#!/usr/bin/env bash
# Version: slurm-wlm-torque 22.05.8-4+deb12u3 (Slurm's wrappers of Torque's commands), with slurmctld
#   of that version (Debian 12).
# Guess: "qsub -p 100" of a script written for PBS or Torque, where the larger number goes first,
#   gives a job that goes before one without.
# Seen: the number becomes Slurm's nice, as it is, where the larger goes last: the job with -p 100
#   has nice 100 and 100 less priority than the one without, and -p -100 asks for nice -100.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29883 of this host for some
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
	SlurmctldPort=29883
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
	PriorityWeightJobSize=10000
	PriorityFavorSmall=YES
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeAddr=127.0.0.1 Port=29884 CPUs=16
	PartitionName=p Nodes=n1 Default=YES State=UP
END
slurmctld-wlm -D -c >out 2>&1 &
for _ in $(seq 60); do
	! scontrol ping 2>/dev/null | grep -q UP || break
	sleep 1
done
printf '#!/bin/sh\nsleep 1\n' >script
cd / # qsub hands its folder on
for p in '' 100 -100; do
	"$tmp/root/usr/bin/qsub" ${p:+-p "$p"} -N "p$p" -o /dev/null -e /dev/null "$tmp/script" >/dev/null
done
sleep 3 # until priorities are calculated
seen=$(squeue -h -o '%j %y %Q' | awk '{ priority[$1] = $3; nice[$1] = $2 }
	END { for (name in nice) print name, "nice", nice[name], "priority by", priority[name] - priority["p"] }' | sort)
echo "$seen"
wanted='p nice 0 priority by 0
p-100 nice -100 priority by 100
p100 nice 100 priority by -100'
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
