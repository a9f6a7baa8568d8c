#!/usr/bin/env bash
# Version: squeue and slurmctld 22.05.8-4+deb12u3 (Debian 12), serializer_json, openapi/v0.0.38.
# Guess: "nice" in "squeue --json" is the number that "squeue -o %y" and "scontrol show job" print:
#   0 of a job without nice, -100 of one with --nice=-100.
# Seen: it is null where the nice is 0 and 4294967196 where it is -100; 5 is 5.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29887 of this host for some
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
	SlurmctldPort=29887
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
	NodeName=n1 NodeAddr=127.0.0.1 Port=29888 CPUs=16
	PartitionName=p Nodes=n1 Default=YES State=UP
END
slurmctld-wlm -D -c >out 2>&1 &
for _ in $(seq 60); do
	! scontrol ping 2>/dev/null | grep -q UP || break
	sleep 1
done
for ask in --nice=0 --nice=5 --nice=-100; do
	sbatch -H "$ask" --job-name="$ask" --output=/dev/null --chdir=/ --wrap='sleep 1' >/dev/null
done
seen=$(
	squeue -h -o '%j: %y' | sort
	squeue --json | tr -d '\n' | grep -oE '"(nice|name)": *[^,]*' | sed -n '/"name": "--/,/"nice"/p' | tr -d ' "' | paste -d ' ' - - | sort
)
echo "$seen"
wanted='--nice=-100: -100
--nice=0: 0
--nice=5: 5
name:--nice=-100 nice:4294967196
name:--nice=0 nice:null
name:--nice=5 nice:5'
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
