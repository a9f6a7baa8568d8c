# shellcheck shell=bash
# The parts share variables, which one file alone does not show:
# shellcheck disable=SC2034,SC2154
# Starting, finding and stopping the daemons of a testbed. All run in the
# foreground of their own session, so that the process that is started is the
# daemon. Its id is kept together with its start time, which no later process
# with the same id shares. Whether one runs is asked a hundred times by one up, so
# no process is started for it.

# started PID sets $ticks to when a process started, in clock ticks since boot.
started() {
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
	# The name in parentheses may contain spaces; after it, field 20.
	# shellcheck disable=SC2086 # split on purpose
	set -- ${stat##*) }
	[ "$1" != Z ] || return 1
	ticks=${20}
}

# running NAME succeeds if a daemon runs, and sets $pid to its process.
running() {
	local since ticks
	{ read -r pid since <"$dir/run/$1.pid"; } 2>/dev/null && started "$pid" && [ "$ticks" = "$since" ]
}

# older NAME FILE succeeds if a daemon runs since before the file was written.
older() { running "$1" && [ "$2" -nt "$dir/run/$1.pid" ]; }

started_now=()

# start NAME USER COMMAND... starts a daemon unless it is running.
start() {
	local name=$1 user=$2 pid ticks=''
	shift 2
	if running "$name"; then return 0; fi
	# Descriptor 9 is the lock of up, which must not outlive it.
	env -i --chdir="$dir" PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 SLURM_CONF="$conf" \
		${clock[@]+"${clock[@]}"} setsid setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups "$@" \
		</dev/null >>"$dir/log/$name.out" 2>&1 9>&- &
	pid=$!
	started "$pid" || true # it may have ended at once
	printf '%s %s\n' "$pid" "$ticks" >"$dir/run/$name.pid"
	started_now+=("$name")
}

# start_slurmctld starts the controller.
start_slurmctld() { start slurmctld slurm slurmctld -D -f "$conf"; }

# dead_daemon succeeds if a daemon started by this run has ended again.
dead_daemon() {
	local name
	for name in ${started_now[@]+"${started_now[@]}"}; do
		running "$name" || return 0
	done
	return 1
}

# explain_failure shows why a daemon is not doing what it should.
explain_failure() {
	local name log shown=0
	for name in "$@" ${started_now[@]+"${started_now[@]}"}; do
		if running "$name"; then continue; fi
		say "$name: ended at once; the end of $dir/log/$name.out:"
		log=$dir/log/$name.out
		tail -n 8 "$log" 2>/dev/null | sed 's/^/    /' >&2
		shown=1
	done
	[ "$shown" = 1 ] || say "all daemons run; their logs are in $dir/log"
}

# stop SIGNAL SECONDS NAME... asks daemons to end, waits, and kills what is
# left, with all their children.
stop() {
	local signal=$1 end=$((SECONDS + $2 * clock_speed)) name pid waiting
	shift 2
	for name in "$@"; do
		if running "$name"; then kill -s "$signal" "$pid" 2>/dev/null || true; fi
	done
	while :; do
		waiting=()
		for name in "$@"; do
			! running "$name" || waiting+=("$name")
		done
		if [ "${#waiting[@]}" = 0 ] || [ "$SECONDS" -ge "$end" ]; then break; fi
		sleep 0.05
	done
	for name in ${waiting[@]+"${waiting[@]}"}; do
		if running "$name"; then kill -s KILL "$pid" 2>/dev/null || true; fi
	done
	for name in "$@"; do rm -f "$dir/run/$name.pid"; done
}

# daemons prints the names of all daemons, in the order of their start.
daemons() {
	[ "$auth" != munge ] || echo munged
	printf '%s\n' mariadbd slurmdbd slurmctld
	seq -f 'slurmd.n%g' "$nodes"
}

# known_daemons prints the daemons that have a process file, among them nodes
# that the present options no longer name.
known_daemons() {
	local file
	for file in "$dir"/run/*.pid; do
		[ -e "$file" ] || continue
		file=${file##*/}
		printf '%s\n' "${file%.pid}"
	done
}

# stop_slurm ends the daemons that read slurm.conf.
stop_slurm() {
	local names=()
	mapfile -t names < <(known_daemons | grep -E '^slurm(ctld|d\.)' || true)
	stop TERM 15 ${names[@]+"${names[@]}"}
}

# stop_steps ends what slurmd leaves behind on purpose when it ends: the
# slurmstepd of a running job, and the job. They are known by the log in this
# testbed's directory that they hold open.
stop_steps() {
	local proc
	for proc in /proc/[0-9]*; do
		[ "$(cat "$proc/comm" 2>/dev/null)" = slurmstepd ] || continue
		[ -n "$(find "$proc/fd" -lname "$dir/*" 2>/dev/null)" ] || continue
		# shellcheck disable=SC2046 # a list of ids
		kill -KILL "${proc#/proc/}" $(cat "$proc"/task/*/children 2>/dev/null) 2>/dev/null || true
	done
}

# stop_all ends everything, first the jobs, last what the others need.
stop_all() {
	local state names=()
	stop TERM 5 ostrichd
	if running slurmctld && { [ "$auth" != munge ] || running munged; }; then
		for state in PENDING SUSPENDED RUNNING; do
			timeout 10 scancel --quiet --state="$state" 2>/dev/null || true
		done
		for _ in {1..30}; do
			[ -n "$(timeout 5 squeue --noheader 2>/dev/null)" ] || break
			sleep 0.1
		done
	fi
	stop_slurm
	stop_steps
	stop TERM 15 slurmdbd
	stop TERM 20 mariadbd
	stop TERM 5 munged
	mapfile -t names < <(known_daemons)
	stop TERM 5 ${names[@]+"${names[@]}"}
}
