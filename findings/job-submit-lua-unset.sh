#!/usr/bin/env bash
# Version: slurmctld 22.05.8-4+deb12u3 with job_submit/lua, liblua5.1-0 5.1.5-9 (Debian 12).
# Guess: in job_submit.lua what was not asked for is nil, or slurm.NO_VAL where it is a number, whatever it is: so a script tells by
#   "job_desc.X == slurm.NO_VAL" that there was no --X. With --hold the priority is 0.
# Seen: there are five kinds of nothing. Names are nil. time_limit, num_tasks and min_nodes are NO_VAL; cpus_per_task, ntasks_per_node,
#   shared and requeue are 65534, which is NO_VAL16, and so are greater than any limit; pn_min_memory is near 2^64, and after
#   --mem-per-cpu=100 near 2^63, so "more than 64 GB" is true of both; min_mem_per_cpu is nil. min_cpus is 1, begin_time 0
#   and contiguous 0. So "more than 8 processors a task" is true of every job without --cpus-per-task.
# Ends with 0 if that is still so, 1 if not. Runs a slurmctld on port 29739 of this host for some seconds, as root.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurmctld=$v slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 liblua5.1-0=5.1.5-9 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
mkdir state spool
cat >job_submit.lua <<-'END'
	local function kind(value)
	  if value == nil then return "nil" end
	  if value == slurm.NO_VAL then return "NO_VAL" end
	  if value == slurm.NO_VAL16 then return "NO_VAL16" end
	  if type(value) == "number" and value > 2^62 then return string.format("%.3g", value) end
	  return tostring(value)
	end
	function slurm_job_submit(job, partitions, user)
	  local names = {"account", "partition", "qos", "time_limit", "num_tasks", "min_nodes", "cpus_per_task", "ntasks_per_node", "shared",
	    "requeue", "pn_min_memory", "min_mem_per_cpu", "min_cpus", "priority", "begin_time", "contiguous"}
	  local said = {}
	  for _, name in ipairs(names) do said[#said + 1] = name .. " " .. kind(job[name]) end
	  slurm.log_user("%s", table.concat(said, ", "))
	  return slurm.SUCCESS
	end
	function slurm_job_modify(job, record, partitions, user)
	  return slurm.SUCCESS
	end
	return slurm.SUCCESS
END
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	SlurmctldPort=29739
	CredType=cred/none
	StateSaveLocation=$PWD/state
	SlurmctldPidFile=$PWD/pid
	SlurmctldLogFile=$PWD/log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	JobSubmitPlugins=lua
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=8 State=DOWN
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
up() { scontrol ping | grep -q UP; }
wait_for up
submit() { sbatch --output=/dev/null --chdir=/ --wrap=true "$@" 2>&1 >/dev/null | sed 's/^sbatch: //'; }
seen=$(
	echo "plain:"
	submit
	echo "--hold --mem-per-cpu=100 --cpus-per-task=2 --exclusive:"
	submit --hold --mem-per-cpu=100 --cpus-per-task=2 --exclusive
)
wanted='plain:
account nil, partition nil, qos nil, time_limit NO_VAL, num_tasks NO_VAL, min_nodes NO_VAL, cpus_per_task NO_VAL16, ntasks_per_node NO_VAL16, shared NO_VAL16, requeue NO_VAL16, pn_min_memory 1.84e+19, min_mem_per_cpu nil, min_cpus 1, priority NO_VAL, begin_time 0, contiguous 0
--hold --mem-per-cpu=100 --cpus-per-task=2 --exclusive:
account nil, partition nil, qos nil, time_limit NO_VAL, num_tasks NO_VAL, min_nodes NO_VAL, cpus_per_task 2, ntasks_per_node NO_VAL16, shared 0, requeue NO_VAL16, pn_min_memory 9.22e+18, min_mem_per_cpu 100, min_cpus 2, priority 0, begin_time 0, contiguous 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
