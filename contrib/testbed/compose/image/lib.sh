# shellcheck shell=bash
# What the roles share: words, waiting, and what can be asked of the others.

config=/etc/slurm
database=slurm_acct_db
cluster=${TESTBED_CLUSTER:-testbed}

say() { printf '%s: %s\n' "${role:-testbed}" "$*" >&2; }

die() {
	say "$*"
	exit 1
}

# await WHAT COMMAND... waits until the command succeeds, and says once in a
# while what it waits for. There is no limit: the other may be restarting, and
# whoever watches the whole has the patience to choose.
await() {
	local what=$1 next=$((SECONDS + 15))
	shift
	until "$@" >/dev/null 2>&1; do
		if [ "$SECONDS" -ge "$next" ]; then
			say "waiting for $what"
			next=$((SECONDS + 60))
		fi
		sleep 0.3
	done
}

# as USER COMMAND... becomes a user for good.
as() {
	local user=$1
	shift
	exec setpriv --reuid="$user" --regid="$user" --init-groups "$@"
}

configured() { [ -e "$config/.complete" ]; }

# start_munged runs the daemon that vouches for users with the cluster's key.
start_munged() {
	await "the configuration" configured
	install -d -m 755 -o munge -g munge /run/munge
	install -d -m 700 -o munge -g munge /var/log/munge /var/lib/munge
	rm -f /run/munge/munged.pid /run/munge/munge.socket.2*
	(as munge munged --key-file="$config/munge.key" --num-threads=2) || die "munged: does not start"
	await munged munged_answers
}

munged_answers() { munge --no-input | unmunge --no-output; }

mariadb_answers() {
	mariadb --defaults-file=<(printf '[client]\npassword=%s\n' "$(<"$config/ostrich.password")") --host=mariadb --user=ostrich \
		--batch --skip-column-names --execute='SELECT 1' "$database"
}

slurmdbd_answers() { timeout 10 sacctmgr --noheader show cluster; }

slurmctld_answers() { timeout 10 scontrol ping | grep -q ' UP'; }

# cluster_registered succeeds once slurmdbd knows where the controller is.
cluster_registered() {
	[ -n "$(timeout 10 sacctmgr --noheader --parsable2 show cluster "$cluster" format=controlhost)" ]
}

# nodes_in STATES prints the names of the nodes in one of these states.
nodes_in() { timeout 10 sinfo --noheader --Node --partition=main --states="$1" --format=%N | sort -u; }

# node_well NAME succeeds if the node runs or could run jobs.
node_well() {
	local states
	states=$(timeout 10 scontrol --oneliner show node "$1" | grep -o ' State=[^ ]*') &&
		[[ ! $states =~ DOWN|NOT_RESPONDING|UNKNOWN|DRAIN|FAIL|INVAL ]]
}
