# shellcheck shell=bash
# The parts share variables, which one file alone does not show:
# shellcheck disable=SC2034,SC2154
# Names, options and messages that every command of the testbed shares.

# shellcheck source=../../options.sh
. "$here/../options.sh"
# shellcheck source=../../accounts/accounts.sh
. "$here/../accounts/accounts.sh"

testbed_database=slurm_acct_db

# Users that a testbed created carry this as their full name; no others are
# ever deleted.
testbed_gecos="OStrich testbed"

# Every testbed of this machine has an entry here, named after its base port.
testbed_registry=/var/lib/ostrich-testbed.d

default_dir=${OSTRICH_TESTBED:-/var/lib/ostrich-testbed}

# Settings of the caller's shell for some other Slurm have no say here.
unset "${!SLURM_@}" "${!SBATCH_@}" "${!SQUEUE_@}" "${!SACCT_@}" "${!SINFO_@}" "${!SCANCEL_@}"

# The clock may run faster than time does, by faketime. Daemons inherit it from the
# command that starts them. What takes real time then takes clock_speed times as long.
clock=() clock_speed=1
for name in LD_PRELOAD FAKETIME FAKETIME_SHARED; do
	[ -z "${!name-}" ] || clock+=("$name=${!name}")
done
case ${FAKETIME-} in *x*) clock_speed=${FAKETIME##*x} ;; esac

# timeout is the command, in real seconds.
timeout() { command timeout $(($1 * clock_speed)) "${@:2}"; }

# numbers_of_two NODES PORT refuses numbers with which two testbeds cannot be brought up, the
# second one 100 ports above the first.
numbers_of_two() {
	number --nodes "$1" 1 500
	number --port "$2" 1024 $((65535 - 110 - $1))
}

need_root() {
	[ "$(id -u)" = 0 ] || die "must run as root: daemons run as the users munge, mysql, slurm and root"
}

# set_dir checks the directory of the testbed and names what lies in it.
set_dir() {
	dir=$(realpath -m -- "$1")
	case $dir in
	/ | /bin | /boot | /dev | /etc | /home | /lib | /opt | /proc | /root | /run | /sbin | /srv | /sys | /tmp | /usr | /var | /var/lib | /var/tmp)
		die "--dir $dir: needs a directory of its own" ;;
	*[!A-Za-z0-9/._+-]*)
		die "--dir $dir: only letters, digits and /._+- can stand in Slurm's configuration" ;;
	esac
	[ "${#dir}" -le 70 ] || die "--dir $dir: ${#dir} characters, and the sockets in it allow 70"
	conf=$dir/etc/slurm.conf
	db_socket=$dir/run/mysql/mysqld.sock
	munge_socket=$dir/run/munge/munge.socket
	password_file=$dir/etc/ostrich.password
	export SLURM_CONF=$conf
}

# The marker tells a directory made by up from any other.
is_testbed() { [ -f "$dir/.ostrich-testbed" ]; }

need_testbed() {
	is_testbed || die "$dir: no testbed here (run up first)"
}

# Ports follow from the base port: the daemons first, then one for each node.
set_ports() {
	ctld_port=$port
	dbd_port=$((port + 1))
	db_port=$((port + 2))
	listen_port=$((port + 3))
	node_port=$((port + 10))
}

# Options that up was last called with; see save_options.
load_options() {
	port=28000 nodes=8 cpus=4 gpus=0 memory=0 weights='' priority=multifactor auth=munge cluster=testbed sets=()
	# shellcheck disable=SC1091 # written by save_options
	if [ -f "$dir/options" ]; then . "$dir/options"; fi
	set_ports
}

save_options() {
	{
		printf 'port=%q nodes=%q cpus=%q gpus=%q memory=%q weights=%q priority=%q auth=%q cluster=%q sets=(' \
			"$port" "$nodes" "$cpus" "$gpus" "$memory" "$weights" "$priority" "$auth" "$cluster"
		if [ "${#sets[@]}" -gt 0 ]; then printf ' %q' "${sets[@]}"; fi
		printf ' )\n'
	} >"$dir/options"
}

# lock_testbed lets one up or down at a time work on a directory. The lock lies
# elsewhere, because down removes the directory.
lock_testbed() {
	mkdir -p /run/ostrich-testbed
	exec 9>"/run/ostrich-testbed/${dir//\//_}.lock"
	flock -w 120 9 || die "$dir: another up or down has been at work on it for two minutes"
}

# with_registry runs a command while no other testbed can come or go. The folder of the
# registry is locked by the one above it: the last testbed removes it.
with_registry() {
	(
		flock -w 60 8 || die "$testbed_registry: held for more than a minute"
		mkdir -p "$testbed_registry"
		"$@"
	) 8<"${testbed_registry%/*}"
}

# wait_for SECONDS WHAT COMMAND... repeats the command until it succeeds. It
# fails when the time (which is real) is over or when a daemon ends meanwhile.
wait_for() {
	local end=$((SECONDS + $1 * clock_speed)) what=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		dead_daemon && return 1
		sleep 0.1
	done
	if [ -n "$what" ] && [ "${#started_now[@]}" -gt 0 ]; then say "$what"; fi
}
