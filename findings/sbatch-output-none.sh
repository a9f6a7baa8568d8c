#!/usr/bin/env bash
# Version: sbatch, scontrol, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: "sbatch --output=none" writes a file that is called none, as --output=some writes one called some.
# Seen: none, in whatever case, is /dev/null: the job runs, and what it printed is nowhere. "null" is a file, and ./none is
#   one too. Where a tool makes the name of the file out of a parameter of the run, the run with "none" has no output.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29836 and 29856 of
# this host for half a minute, as root.
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
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29836
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=root
	PluginDir=$lib
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	JobAcctGatherType=jobacct_gather/none
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29856 CPUs=8
	PartitionName=p Nodes=n1 Default=YES State=UP
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
mkdir outputs
seen=''
cd outputs
for name in some none None null ./none; do
	id=$(sbatch --parsable --output="$name" --wrap='echo said')
	ended() { [[ $(scontrol -o show job "$id") == *JobState=COMPLETED* ]]; }
	wait_for ended
	seen+="--output=$name: $(scontrol -o show job "$id" | grep -oP '\bStdOut=\K[^ ]+' | sed 's|.*/outputs/||'), files: $(ls)
"
	rm -f -- *
done
seen=${seen%$'\n'}
cd ..
wanted='--output=some: some, files: some
--output=none: /dev/null, files: 
--output=None: /dev/null, files: 
--output=null: null, files: null
--output=./none: ./none, files: none'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
