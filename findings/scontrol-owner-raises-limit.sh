#!/usr/bin/env bash
# Version: scontrol, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: users may lower the time limit of their jobs and never raise it; the manual of scontrol says that only
#   administrators can.
# Seen: that holds for jobs that run. The limit of a job that waits its owner may raise and lower at will, so it is
#   not what the job was submitted with; the place in the queue and the submission time stay.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29854 and 29855 of
# this host for some seconds, as root, and submits jobs as nobody.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
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
	SlurmctldPort=29854
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
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29855 CPUs=16
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
slurmd-wlm -D -c -N n1 >out-d 2>&1 &
ready() { [[ $(sinfo -h -o %t | sort -u) == idle ]]; }
wait_for ready
as_owner() { runuser -u nobody -- "$@" 2>&1; }
id=$(as_owner sbatch --parsable --begin=now+1hour --time=10 --output=/dev/null --chdir=/ --wrap='sleep 60')
first=$(squeue -h -j "$id" -o '%Q %V')
seen="waits: $(as_owner scontrol update jobid="$id" TimeLimit=5)$(squeue -h -j "$id" -o %l)
waits: $(as_owner scontrol update jobid="$id" TimeLimit=90)$(squeue -h -j "$id" -o %l)
priority and submission as before: $([[ $(squeue -h -j "$id" -o '%Q %V') == "$first" ]] && echo yes)"
as_owner scontrol update jobid="$id" StartTime=now
runs() { [[ $(squeue -h -j "$id" -o %T) == RUNNING ]]; }
wait_for runs
seen+="
runs: $(as_owner scontrol update jobid="$id" TimeLimit=100 | sed "s/$id/ID/") $(squeue -h -j "$id" -o %l)
runs: $(as_owner scontrol update jobid="$id" TimeLimit=80)$(squeue -h -j "$id" -o %l)"
wanted='waits: 5:00
waits: 1:30:00
priority and submission as before: yes
runs: Access/permission denied for job ID 1:30:00
runs: 1:20:00'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
