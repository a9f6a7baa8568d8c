#!/usr/bin/env bash
# Version: sbatch, salloc and srun 22.05.8-4+deb12u3 with cli_filter/lua, liblua5.1-0 5.1.5-9 (Debian 12).
# Guess: in cli_filter.lua options["time"] and the others are what the user gave, as numbers where they are numbers, and nil where
#   nothing was given; so "if not options.time" asks for a time limit, and options.ntasks > 64 compares.
# Seen: all are texts, so a comparison with a number is an error of the script. Where nothing was given account, mem, gpus and array are
#   nil; time is "2982616-04:14:00", nodes "1-0", ntasks "1", cpus-per-task "0", nice and ntasks-per-node "-2", priority "0", begin
#   "Unknown", exclusive and hold "unset", and "invalid-context" what the command does not have. --priority=0 and --ntasks=1 are as
#   none; --time=UNLIMITED is "UNLIMITED". So a filter that asks for nil finds a time limit in each job.
# Ends with 0 if that is still so, 1 if not. The filter refuses each job, so that no daemon is asked.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
v=22.05.8-4+deb12u3
apt-get -qq download slurm-client=$v slurm-wlm-basic-plugins=$v libmunge2 libhwloc15 libreadline8 liblua5.1-0=5.1.5-9 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libslurmfull.so | head -n 1)")
libs=${lib%/*}
export LD_LIBRARY_PATH=$lib:$libs:${lib%/usr/*}/lib/${libs##*/} SLURM_CONF=$PWD/slurm.conf PATH=$PWD/root/usr/bin:$PWD/root/usr/sbin:$PATH
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$tmp"' EXIT
cat >slurm.conf <<-END
	AuthType=auth/none
	SlurmUser=root
	PluginDir=$lib
	ClusterName=c
	SlurmctldHost=localhost
	CliFilterPlugins=lua
	NodeName=n1 NodeAddr=127.0.0.1 CPUs=8
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
cat >cli_filter.lua <<-'END'
	function slurm_cli_setup_defaults(options, early)
	  return slurm.SUCCESS
	end
	function slurm_cli_pre_submit(options, offset)
	  local names = {"account", "mem", "gpus", "array", "time", "nodes", "ntasks", "cpus-per-task", "ntasks-per-node", "nice", "priority",
	    "begin", "exclusive", "hold", "requeue"}
	  local said = {}
	  for _, name in ipairs(names) do
	    local value = options[name]
	    said[#said + 1] = name .. " " .. (type(value) == "string" and '"' .. value .. '"' or tostring(value))
	  end
	  slurm.log_error("%s", table.concat(said, ", "))
	  return slurm.ERROR
	end
	function slurm_cli_post_submit(offset, job, step)
	  return slurm.SUCCESS
	end
END
try() { # COMMAND ARGUMENTS
	echo "$*:"
	("$@" 2>&1 || true) | grep account | sed 's/^[a-z]*: error: lua: //'
}
cd / # a relative name of a file would be of this folder
seen=$(
	try sbatch --wrap=true
	try sbatch --wrap=true --mem=2G --array=1-3 --time=1:30 --nodes=2 --nice --hold --no-requeue
	try sbatch --wrap=true --time=UNLIMITED --priority=0 --exclusive --begin=2030-01-01
	try srun true
)
wanted='sbatch --wrap=true:
account nil, mem nil, gpus nil, array nil, time "2982616-04:14:00", nodes "1-0", ntasks "1", cpus-per-task "0", ntasks-per-node "-2", nice "-2", priority "0", begin "Unknown", exclusive "unset", hold "unset", requeue "unset"
sbatch --wrap=true --mem=2G --array=1-3 --time=1:30 --nodes=2 --nice --hold --no-requeue:
account nil, mem "2G", gpus nil, array "1-3", time "00:02:00", nodes "2", ntasks "1", cpus-per-task "0", ntasks-per-node "-2", nice "100", priority "0", begin "Unknown", exclusive "unset", hold "set", requeue "no-requeue"
sbatch --wrap=true --time=UNLIMITED --priority=0 --exclusive --begin=2030-01-01:
account nil, mem nil, gpus nil, array nil, time "UNLIMITED", nodes "1-0", ntasks "1", cpus-per-task "0", ntasks-per-node "-2", nice "-2", priority "0", begin "2030-01-01T00:00:00", exclusive "exclusive", hold "unset", requeue "unset"
srun true:
account nil, mem nil, gpus nil, array "invalid-context", time "2982616-04:14:00", nodes "1-0", ntasks "1", cpus-per-task "0", ntasks-per-node "-2", nice "-2", priority "0", begin "Unknown", exclusive "unset", hold "unset", requeue "invalid-context"'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
