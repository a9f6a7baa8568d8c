# shellcheck shell=bash
# The parts share variables, which one file alone does not show:
# shellcheck disable=SC2034,SC2154
# The configuration files of a testbed.

# slurm_conf prints slurm.conf: the template with the lines of --set in place
# of those before with the same key, or after them. Nodes that are given, which are n1 to
# the last of --nodes, take the place of the template's, and so do controllers, which may be several.
slurm_conf() {
	local line text added=''
	text=$(slurm_conf_template)
	for line in ${sets[@]+"${sets[@]}"}; do
		case ${line%%=*} in
		NodeName) text=$(sed '/^NodeName=.* State=UNKNOWN$/d' <<<"$text") ;;
		PartitionName | DownNodes | Include) ;;
		SlurmctldHost) text=$(sed '/^SlurmctldHost=/d' <<<"$text") ;;
		*)
			text=$(sed "/^${line%%=*}=/Id" <<<"$text")
			added=$(sed "/^${line%%=*}=/Id" <<<"$added")
			;;
		esac
		added+=$'\n'$line
	done
	printf '%s%s\n' "$text" "$added"
}

# auth_conf prints what slurm.conf and slurmdbd.conf say of who vouches for users.
auth_conf() {
	echo "AuthType=auth/$auth"
	[ "$auth" != munge ] || echo "AuthInfo=socket=$munge_socket"
}

slurm_conf_template() {
	local host weighed=${weights:+ TRESBillingWeights=$weights}
	host=$(hostname -s)
	cat <<-CONF
		# Written by contrib/testbed/debian/up; change it with up --set.
		ClusterName=$cluster
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$ctld_port
		SlurmUser=slurm
		SlurmctldPidFile=$dir/run/slurm/slurmctld.pid
		StateSaveLocation=$dir/state
		$(auth_conf)
		CredType=cred/$auth

		AccountingStorageType=accounting_storage/slurmdbd
		AccountingStorageHost=127.0.0.1
		AccountingStoragePort=$dbd_port
		$([ "$auth" != munge ] || echo "AccountingStoragePass=$munge_socket")
		AccountingStorageEnforce=associations,limits
		JobAcctGatherType=jobacct_gather/none
		JobCompType=jobcomp/none

		SlurmdPidFile=$dir/run/slurm/slurmd.%n.pid
		SlurmdSpoolDir=$dir/spool/%n
		SlurmdLogFile=$dir/log/slurmd.%n.log
		SlurmdParameters=config_overrides
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SwitchType=switch/none
		MpiDefault=none
		PropagateResourceLimits=NONE
		ReturnToService=2
		SlurmdTimeout=300
		SlurmctldTimeout=120
		MessageTimeout=30
		InactiveLimit=0
		MailProg=/bin/true
		KillWait=5
		MinJobAge=300
		MaxArraySize=10001
		MaxJobCount=50000
		SlurmctldDebug=info
		SlurmdDebug=info

		SchedulerType=sched/backfill
		SchedulerParameters=sched_interval=2,batch_sched_delay=1,default_queue_depth=1000,bf_interval=3,bf_resolution=10,bf_window=120,bf_max_job_test=1000,bf_continue
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU$([ "$memory" = 0 ] || echo _Memory)
		$([ "$memory" = 0 ] || echo "DefMemPerCPU=$((memory / cpus))")
		$([ "$gpus" = 0 ] || printf 'GresTypes=gpu\nAccountingStorageTRES=gres/gpu')

		PriorityType=priority/$priority
		$(grep -v '^#' "$here/../accounts/priority.conf")

		NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$node_port-$((node_port + nodes - 1))] CPUs=$cpus$(node_resources) State=UNKNOWN
		PartitionName=main Nodes=ALL Default=YES MaxTime=1-00:00:00 State=UP$weighed
		PartitionName=debug Nodes=ALL MaxTime=30 State=UP$weighed
	CONF
}

# node_resources prints what a node has beside processors, to follow them in slurm.conf.
node_resources() {
	[ "$memory" = 0 ] || printf ' RealMemory=%s' "$memory"
	[ "$gpus" = 0 ] || printf ' Gres=gpu:%s' "$gpus"
}

# gres_conf prints gres.conf: what slurm.conf says of generic resources. A GPU without a
# device would not count, and no two may be one: each has a name for /dev/null.
gres_conf() {
	slurm_conf | awk -v dir="$dir/dev" '
		/^NodeName=/ && match($0, / Gres=[^ ]+/) {
			split(substr($0, RSTART + 6, RLENGTH - 6), list, ",")
			first = 0
			for (i = 1; i in list; i++) {
				n = split(list[i], part, ":")
				print $1, "Name=" part[1], (n > 2 ? "Type=" part[2] " " : "") "File=" dir "/" part[1] "[" first "-" first + part[n] - 1 "]"
				first += part[n]
			}
		}'
}

# make_devices makes the devices of gres.conf.
make_devices() {
	local name first last i
	while read -r name first last; do
		for ((i = first; i <= last; i++)); do ln -sfn /dev/null "$name$i"; done
	done < <(sed -nE 's/.* File=(.*)\[([0-9]+)-([0-9]+)\]$/\1 \2 \3/p' "$dir/etc/gres.conf")
}

# check_weights refuses weights that Slurm would not take.
check_weights() {
	local item
	[ -n "$weights" ] || return 0
	for item in ${weights//,/ }; do
		case $item in
		*=*[!0-9.KMGTPkmgtp]* | *= | =*) ;;
		[Cc][Pp][Uu]=* | [Nn][Oo][Dd][Ee]=* | [Mm][Ee][Mm]=*) continue ;;
		[Gg][Rr][Ee][Ss]/gpu=*)
			[ "$gpus" != 0 ] || die "--weights $item: the nodes have no GPUs; --gpus N gives them some"
			continue
			;;
		esac
		die "--weights $item: must be CPU=, Mem=, Node= or GRES/gpu= and a number, Mem= with a unit such as 0.25G"
	done
}

slurmdbd_conf() {
	cat <<-CONF
		# Written by contrib/testbed/debian/up.
		DbdHost=localhost
		DbdAddr=127.0.0.1
		DbdPort=$dbd_port
		SlurmUser=slurm
		PidFile=$dir/run/slurm/slurmdbd.pid
		$(auth_conf)
		DebugLevel=info
		StorageType=accounting_storage/mysql
		StorageHost=127.0.0.1
		StoragePort=$db_port
		StorageLoc=$testbed_database
		StorageUser=slurm
		StoragePass=$(<"$dir/etc/slurm.password")
	CONF
}

# has_cgroups succeeds for a slurmd that looks for cgroups unless told not to,
# and ends where it may not have them: that of 24.05 and later. Earlier ones do
# not know the setting.
has_cgroups() {
	local release
	release=$(slurmd -V)
	[ "$(printf '24.05\n%s\n' "${release##* }" | sort -V | head -n 1)" = 24.05 ]
}

mariadb_conf() {
	cat <<-CONF
		[mariadbd]
		user=mysql
		datadir=$dir/mysql
		socket=$db_socket
		bind-address=127.0.0.1
		port=$db_port
		pid-file=$dir/run/mysql/mariadbd.pid
		tmpdir=$dir/tmp
		skip-name-resolve
		innodb_buffer_pool_size=256M
		innodb_log_file_size=64M
		innodb_lock_wait_timeout=900
		# Slurm 26.05 does not support it, and MariaDB has it on since 11.6.
		loose_innodb_snapshot_isolation=OFF
		# Several servers of one user share the memory the kernel lends for it.
		innodb_use_native_aio=0
		# A testbed may lose its last second in a power cut.
		innodb_flush_log_at_trx_commit=2
	CONF
}

ostrich_yaml() {
	cat <<-CONF
		cluster: $cluster
		mode: observe
		interval: 2s
		database:
		  address: $db_socket
		  user: $testbed_operator
		  password_file: $password_file
		  name: $testbed_database
		slurm:
		  conf: $conf
		  timeout: 10s
		journal: $dir/ostrich/journal.jsonl
		socket: $dir/ostrich/ostrichd.sock
		listen: 127.0.0.1:$listen_port
	CONF
}

env_file() {
	cat <<-CONF
		export OSTRICH_TESTBED=$dir
		export SLURM_CONF=$conf
		export TESTBED_CLUSTER=$cluster
		export TESTBED_NODES=$nodes
		export TESTBED_CPUS=$cpus
		export TESTBED_PORT=$port
		export TESTBED_PRIORITY=$priority
		export TESTBED_USERS="$(testbed_users | paste -sd ' ')"
		export TESTBED_OPERATOR=$testbed_operator
		export TESTBED_DB_SOCKET=$db_socket
		export TESTBED_DB_ADDRESS=127.0.0.1:$db_port
		export TESTBED_DB_NAME=$testbed_database
		export TESTBED_DB_USER=$testbed_operator
		export TESTBED_DB_PASSWORD_FILE=$password_file
		export TESTBED_CONFIG=$dir/ostrich.yaml
		export TESTBED_LISTEN=127.0.0.1:$listen_port
	CONF
}

# put FILE OWNER MODE COMMAND replaces a file by what the command prints; a file
# that says the same already keeps its time.
put() {
	local file=$1 owner=$2 mode=$3 new text
	shift 3
	text=$("$@")
	if [ -e "$file" ] && [ "$text" = "$(<"$file")" ]; then return 0; fi
	new=$(mktemp "$dir/etc/.new.XXXXXX")
	printf '%s' "$text" ${text:+$'\n'} >"$new"
	chown "$owner" "$new"
	chmod "$mode" "$new"
	mv "$new" "$file"
}

# check_dir refuses a directory in which something else lies.
check_dir() {
	if is_testbed || [ ! -e "$dir" ]; then return 0; fi
	[ -d "$dir" ] || die "$dir: not a directory"
	[ -z "$(ls -A "$dir")" ] || die "$dir: not empty and no testbed; give an empty or new directory"
}

# make_dirs makes the directories of the testbed, each owned by who writes it.
make_dirs() {
	mkdir -p "$dir"
	: >>"$dir/.ostrich-testbed"
	chmod 755 "$dir"
	install -d -m 755 "$dir/etc" "$dir/log" "$dir/run" "$dir/spool" "$dir/dev"
	install -d -m 755 -o munge "$dir/run/munge"
	install -d -m 755 -o mysql "$dir/run/mysql"
	install -d -m 755 -o slurm "$dir/run/slurm"
	install -d -m 700 -o slurm "$dir/state"
	install -d -m 700 -o mysql "$dir/mysql" "$dir/tmp"
	install -d -m 755 -o "$testbed_operator" "$dir/ostrich"
}

# secret FILE OWNER BYTES makes a file with random letters and digits, once.
secret() {
	if [ -s "$1" ]; then return 0; fi
	(umask 077 && head -c "$3" /dev/urandom | base64 --wrap=0 | tr '+/' 'xy' >"$1.new")
	chown "$2" "$1.new"
	chmod 400 "$1.new"
	mv "$1.new" "$1"
}

# write_config writes every file.
write_config() {
	secret "$password_file" "$testbed_operator" 18
	secret "$dir/etc/slurm.password" slurm 18
	secret "$dir/etc/munge.key" munge 96
	secret "$dir/etc/slurm.key" slurm 96
	put "$dir/etc/mariadb.cnf" root:root 644 mariadb_conf
	put "$dir/etc/slurmdbd.conf" slurm:root 600 slurmdbd_conf
	put "$conf" root:root 644 slurm_conf
	put "$dir/etc/gres.conf" root:root 644 gres_conf
	make_devices
	if has_cgroups; then put "$dir/etc/cgroup.conf" root:root 644 echo CgroupPlugin=disabled; fi
	put "$dir/ostrich.yaml" root:root 644 ostrich_yaml
	put "$dir/env" root:root 644 env_file
	save_options
}
