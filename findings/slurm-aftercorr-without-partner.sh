#!/usr/bin/env bash
# Version: sbatch, squeue, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: with --dependency=aftercorr:A task n waits for task n of A. A task for which A has no partner is refused, or never
#   starts, or starts at once; what the other tasks of A do does not matter to it.
# Seen: it waits for all of A: it starts when all tasks of A ended well, and never (DependencyNeverSatisfied) when one of them
#   failed. A single job with aftercorr on an array is afterok. Of an array on a single job all tasks wait for that.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29905 and 29906 of this host for some
# seconds, as root.
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
	SlurmctldPort=29905
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$PWD/spool
	SlurmdPidFile=$PWD/pid-d
	SlurmdLogFile=$PWD/log-d
	SlurmdParameters=config_overrides
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29906 CPUs=16
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
submit() { sbatch --parsable --output=/dev/null --chdir=/ "$@"; }
# shellcheck disable=SC2016 # for the job
work='sleep 4; [ "$SLURM_ARRAY_TASK_ID" != "$0" ]'
all=$(submit --array=1-2 --wrap="${work/\$0/0}")
one=$(submit --array=1-3 --wrap="${work/\$0/2}")
single=$(submit --wrap='sleep 4')
long=$(submit "--dependency=aftercorr:$all" --array=1-4 --wrap='sleep 100')
longer=$(submit "--dependency=aftercorr:$one" --array=1-4 --wrap='sleep 100')
alone=$(submit "--dependency=aftercorr:$one" --wrap='sleep 100')
several=$(submit "--dependency=aftercorr:$single" --array=1-2 --wrap='sleep 100')
ended() { [[ -z $(squeue -h -j "$all,$one,$single") && $(squeue -h -t R -r -j "$several" | wc -l) == 2 && $(squeue -h -t R -r -j "$long" | wc -l) == 4 ]]; }
early=$(squeue -h -t R -r -j "$long,$longer,$alone,$several" | wc -l)
wait_for ended
tasks() { squeue -h -r -j "$1" -o '%K %T %r' | sort -n | sed 's/N\/A/alone/' | xargs; }
seen="started before: $early
partners 1 to 2, all well: $(tasks "$long")
partners 1 to 3, 2 failed: $(tasks "$longer")
a single job on that array: $(tasks "$alone")
an array on a single job: $(tasks "$several")"
wanted='started before: 0
partners 1 to 2, all well: 1 RUNNING None 2 RUNNING None 3 RUNNING None 4 RUNNING None
partners 1 to 3, 2 failed: 1 RUNNING None 2 PENDING DependencyNeverSatisfied 3 RUNNING None 4 PENDING DependencyNeverSatisfied
a single job on that array: alone PENDING DependencyNeverSatisfied
an array on a single job: 1 RUNNING None 2 RUNNING None'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
