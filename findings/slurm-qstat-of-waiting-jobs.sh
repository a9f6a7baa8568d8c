#!/usr/bin/env bash
# Version: slurm-wlm-torque 22.05.8-4+deb12u3 (Slurm's wrappers of Torque's commands), with slurmctld
#   of that version (Debian 12).
# Guess: qstat shows a held job as H and one that waits for its time as W, as Torque does, and has no time for a job without a
#   limit; asked for a job that is not there it says "Unknown Job Id".
# Seen: all three kinds of waiting jobs are Q. A job without a limit asks for 2^32 - 1 minutes, which "qstat -a" cuts to 71582 hours.
#   Of a job that is not there qstat says nothing, and ends with 153.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29952 of this host for some
# seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v slurm-wlm-torque=$v libslurm-perl=$v libslurmdb-perl=$v libslurm38=$v libmunge2 libhwloc15 libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
perl=$(dirname "$(find root -name Slurm.pm)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} PERL5LIB=$PWD/$perl SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
mkdir state
cat >slurm.conf <<-END
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29952
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
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeAddr=127.0.0.1 Port=29953 CPUs=16
	PartitionName=p Nodes=n1 Default=YES State=UP
END
slurmctld-wlm -D -c >out 2>&1 &
for _ in $(seq 60); do
	! scontrol ping 2>/dev/null | grep -q UP || break
	sleep 1
done
submit() { sbatch --parsable --output=/dev/null --chdir=/ --wrap=true "$@"; }
declare -A job=([plain]=$(submit --time=10) [held]=$(submit --hold) [begin]=$(submit --begin=now+1hour))
seen=$(
	for name in plain held begin; do
		echo "$name: $(qstat "${job[$name]}" | awk 'NR == 3 {print $(NF - 1)}'), $(qstat -a "${job[$name]}" | awk 'END {print $(NF - 2)}')" \
			"$(qstat -f "${job[$name]}" | grep -o 'walltime = .*' || echo 'no walltime')"
	done
	code=0
	said=$(qstat 99999 2>&1) || code=$?
	echo "not there: '$said', code $code"
)
echo "$seen"
wanted='plain: Q, 00:10 walltime = 00:10:00
held: Q, 71582 walltime = 71582788:15:00
begin: Q, 71582 walltime = 71582788:15:00
not there: '\'\'', code 153'
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
