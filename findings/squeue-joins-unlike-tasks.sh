#!/usr/bin/env bash
# Version: squeue and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: squeue shows the waiting tasks of an array in one line as long as they are alike; a task whose
#   nice value, priority or time limit was changed by scontrol has a line of its own, as it has a record
#   of its own in slurmctld.
# Seen: they stay in one line, which shows the values of one of them. Only "squeue -r" tells.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29877 of this host for some
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
	SlurmctldPort=29877
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
	NodeName=n1 NodeAddr=127.0.0.1 Port=29878 CPUs=16
	PartitionName=p Nodes=n1 Default=YES State=UP
END
slurmctld-wlm -D -c >out 2>&1 &
for _ in $(seq 60); do
	! scontrol ping 2>/dev/null | grep -q UP || break
	sleep 1
done
sbatch --array=1-4 --time=5 --output=/dev/null --chdir=/ --wrap='sleep 1' >/dev/null
scontrol update jobid=1_2 nice=500
scontrol update jobid=1_3 timelimit=2
seen=$(
	squeue -h -o '%i nice %y, limit %l'
	squeue -r -h -o '%i nice %y, limit %l' | sort
)
echo "$seen"
wanted='1_[1-4] nice 0, limit 5:00
1_1 nice 0, limit 5:00
1_2 nice 500, limit 5:00
1_3 nice 0, limit 2:00
1_4 nice 0, limit 5:00'
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
