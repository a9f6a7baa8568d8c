#!/usr/bin/env bash
# Version: slurm-client and slurmctld 22.05.8-4+deb12u3 (Debian 12).
# Guess: sbatch reads "#SBATCH" lines and takes "#PBS" and "#BSUB" lines for comments; or, if it reads
#   them too, as PBS and LSF do ("walltime=90" is 90 seconds, "-W 4:00" four hours), and of
#   contradicting lines the last one counts.
# Seen: it reads them, and takes the times for its own: 90 minutes and four minutes. Beside #SBATCH lines
#   the foreign ones win, even where they stand first, and over a #PBS line a #BSUB line. Options of the
#   command and --ignore-pbs, which is for both, win over all.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29808 of this host for some
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
	SlurmctldPort=29808
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=root
	PluginDir=$lib
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	NodeName=n1 NodeAddr=127.0.0.1 Port=29809 CPUs=16
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
up() { scontrol ping | grep -q UP; }
wait_for up
limit() { # LINE...
	local id
	printf '%s\n' '#!/bin/sh' "$@" 'exit 0' >job.sh
	# shellcheck disable=SC2086 # none or one option
	id=$(sbatch --parsable --hold --output=/dev/null --chdir=/ ${with-} "$PWD/job.sh")
	echo "${with:+$with }$*: $(squeue -h -j "$id" -o %l)"
}
seen=$(
	limit '#PBS -l walltime=90'
	limit '#PBS -l walltime=4:00:00'
	limit '#BSUB -W 90'
	limit '#BSUB -W 4:00'
	limit '#SBATCH -t 10' '#PBS -l walltime=20:00'
	limit '#PBS -l walltime=20:00' '#SBATCH -t 10'
	limit '#BSUB -W 30' '#SBATCH -t 10'
	limit '#BSUB -W 30' '#PBS -l walltime=20:00' '#SBATCH -t 10'
	with=--time=5 limit '#PBS -l walltime=20:00'
	with=--ignore-pbs limit '#SBATCH -t 10' '#BSUB -W 30'
)
wanted='#PBS -l walltime=90: 1:30:00
#PBS -l walltime=4:00:00: 4:00:00
#BSUB -W 90: 1:30:00
#BSUB -W 4:00: 4:00
#SBATCH -t 10 #PBS -l walltime=20:00: 20:00
#PBS -l walltime=20:00 #SBATCH -t 10: 20:00
#BSUB -W 30 #SBATCH -t 10: 30:00
#BSUB -W 30 #PBS -l walltime=20:00 #SBATCH -t 10: 30:00
--time=5 #PBS -l walltime=20:00: 5:00
--ignore-pbs #SBATCH -t 10 #BSUB -W 30: 10:00'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
