# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of lib.sh
# A compute node. It enters the cluster by itself when it starts, under the
# number that compose gave its container, and leaves it when it is stopped; a
# node that was killed comes back under the same name.

# container_number prints the number of this container among the nodes: the
# engine's name server calls its address PROJECT_node_3.NETWORK.
container_number() {
	local address name
	address=$(hostname -i) && name=$(getent -s hosts:dns hosts "${address%% *}" | awk '{print $2}') &&
		[[ ${name%%.*} =~ [-_]([0-9]+)$ ]] && printf '%s\n' "${BASH_REMATCH[1]}"
}

# forget REASON takes the node out of the cluster; its jobs start again
# elsewhere. It fails while Slurm does not let the node go.
forget() {
	known || return 0
	scontrol update "nodename=$node" state=down reason="$1" || true
	scontrol delete "nodename=$node" || return
	# Slurm 22.05 goes on counting the processors of a deleted node.
	scontrol reconfigure || true
}

known() { timeout 10 scontrol show node "$node" >/dev/null 2>&1; }

# lost succeeds if the controller answers and has lost this node, or takes it for
# the one before: a controller that was killed too remembers that one as taken
# down. One that was killed has also forgotten what it started in its last seconds,
# starts it again, and drains the node that still runs it. What somebody takes down
# or drains by hand stays so.
lost() {
	local line
	slurmctld_answers || return
	line=$(timeout 10 scontrol --oneliner show node "$node" 2>/dev/null) || return 0
	[[ $line =~ ' State='[^' ']*(NOT_RESPONDING|UNKNOWN|INVAL) ]] ||
		[[ $line =~ ' State='[^' ']*DOWN && $line =~ ' Reason='('started again'|stopped|'Not responding'|'Node unexpectedly') ]] ||
		[[ $line =~ ' State='[^' ']*DRAIN && $line == *' Reason=Duplicate jobid '* ]]
}

leave() {
	trap '' TERM INT
	for _ in {1..40}; do
		if ! slurmctld_answers || forget stopped 2>/dev/null; then break; fi
		sleep 0.5
	done
	kill -TERM "$slurmd" 2>/dev/null || true
	wait "$slurmd" || true
	exit 0
}

start_munged
await "the name of this container" container_number
node=n$(container_number)
echo "$node" >/run/testbed.node
await slurmctld slurmctld_answers
# What Slurm remembers of a node that was killed has another address, and jobs
# that are no more.
await "Slurm to forget the $node of before" forget "started again"
install -d -m 755 /run/slurm /var/spool/slurmd
slurmd -D -Z -N "$node" --conf "CPUs=${OSTRICH_CPUS:-4}" &
slurmd=$!
trap leave TERM INT

for ((misses = 0; misses < 4; )); do
	sleep 15 &
	wait -n || break # slurmd ended
	if lost; then misses=$((misses + 1)); else misses=0; fi
done
kill -TERM "$slurmd" 2>/dev/null || true
die "slurmd ended or was lost; starting again"
