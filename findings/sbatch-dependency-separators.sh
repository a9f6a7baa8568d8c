#!/usr/bin/env bash
# Version: sbatch, squeue, slurmctld and slurmd 22.05.8-4+deb12u3 (Debian 12).
# Guess: "--dependency=afterok:A,afterok:B?afterok:C" is refused, as the manual knows one separator alone, or means A, and B or C.
#   "afterok:A+1" waits for another minute, as "after:A+1" does, or is refused; "afterok:A_3" is refused where A is no array.
# Seen: it is A or B or C: one question mark makes all of them alternatives, and squeue shows it so. The minute of afterok is
#   taken and does not count. A task of what is no array, and one that an array does not have, is no dependency: the job
#   starts at once, beside A. "after:A+1h" is a minute: what stands behind the number does not count either.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld and a slurmd on ports 29903 and 29904 of this host for some
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
	SlurmctldPort=29903
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
	NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=29904 CPUs=16
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
started() { [[ $(squeue -h -j "$1" -t all -o %t) != PD ]]; }
good=$(submit --wrap='sleep 3')
failed=$(submit --wrap='sleep 3; exit 1')
runs=$(submit --wrap='sleep 100')
array=$(submit --array=1-2 --hold --wrap=true)
after() { submit "--dependency=$1" --wrap='sleep 100'; }
mixed=$(after "afterok:$failed,afterok:$runs?afterok:$good")
shown=$(squeue -h -j "$mixed" -o %E)
minute=$(after "afterok:$good+1")
none=$(after "afterok:${runs}_3")
beyond=$(after "afterok:${array}_7")
hour=$(after "after:$runs+1h")
wait_for started "$minute"
wait_for started "$mixed"
wait_for started "$beyond"
wait_for started "$none"
state() { squeue -h -j "$1" -o %T; }
began() { squeue -h -t all -j "$1" -o "$2" | xargs -I{} date -d {} +%s; }
later=$(($(began "$minute" %S) - $(began "$good" %e)))
seen="failed, runs ? done: $(state "$mixed"), shown as $(sed -e "s/:$failed(/:failed(/" -e "s/:$runs(/:runs(/" -e "s/:$good(/:done(/" <<<"$shown")
done+1: $(state "$minute"), at once: $((later < 30 ? 1 : 0))
a task of what is no array: $(state "$none") while that is $(state "$runs")
a task that the array does not have: $(state "$beyond") while the array is $(squeue -h -j "$array" -o %T)
after:runs+1h: $(squeue -h -j "$hour" -o %E | sed "s/:$runs+/:runs+/")"
wanted='failed, runs ? done: RUNNING, shown as afterok:failed(unfulfilled)?afterok:runs(unfulfilled)?afterok:done(unfulfilled)
done+1: RUNNING, at once: 1
a task of what is no array: RUNNING while that is RUNNING
a task that the array does not have: RUNNING while the array is PENDING
after:runs+1h: after:runs+1(unfulfilled)'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
