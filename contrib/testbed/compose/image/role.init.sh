# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of lib.sh
# Writes keys, passwords and configuration, makes accounts, and ends when the
# cluster works. Run again, it changes nothing that is as it should be: keys and
# what somebody changed in the accounts stay, slurm.conf follows this image and
# the settings.

# shellcheck source=../../accounts/accounts.sh
. "$here/accounts/accounts.sh"

slurm_conf() {
	cat <<-CONF
		# Written by the testbed's init at every start; OSTRICH_SLURM_LINES adds lines.
		ClusterName=$cluster
		SlurmctldHost=slurmctld
		SlurmUser=slurm
		SlurmctldPidFile=/run/slurm/slurmctld.pid
		StateSaveLocation=/var/lib/slurm/slurmctld
		AuthType=auth/munge
		CredType=cred/munge

		AccountingStorageType=accounting_storage/slurmdbd
		AccountingStorageHost=slurmdbd
		AccountingStorageEnforce=associations,limits
		JobAcctGatherType=jobacct_gather/none
		JobCompType=jobcomp/none

		SlurmdPidFile=/run/slurm/slurmd.pid
		SlurmdSpoolDir=/var/spool/slurmd
		SlurmdParameters=config_overrides
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SwitchType=switch/none
		MpiDefault=none
		PropagateResourceLimits=NONE
		ReturnToService=2
		SlurmdTimeout=120
		SlurmctldTimeout=120
		MessageTimeout=30
		InactiveLimit=0
		MailProg=/bin/true
		KillWait=5
		MinJobAge=300
		MaxArraySize=10001
		MaxJobCount=50000

		SchedulerType=sched/backfill
		SchedulerParameters=sched_interval=2,batch_sched_delay=1,default_queue_depth=1000,bf_interval=3,bf_resolution=10,bf_window=120,bf_max_job_test=1000,bf_continue
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU

		PriorityType=priority/multifactor
		$(grep -v '^#' "$here/accounts/priority.conf")

		# Nodes enter and leave by themselves. They do not know one another, so
		# the controller speaks to each.
		MaxNodeCount=512
		TreeWidth=512
		PartitionName=main Nodes=ALL Default=YES MaxTime=1-00:00:00 State=UP
		PartitionName=debug Nodes=ALL MaxTime=30 State=UP
	CONF
}

# with_lines prints slurm.conf with the lines of OSTRICH_SLURM_LINES (KEY=VALUE,
# cut by semicolons) in place of those with the same key, or after them.
with_lines() {
	local line text lines
	text=$(slurm_conf)
	IFS=';' read -r -a lines <<<"${OSTRICH_SLURM_LINES:-}"
	for line in ${lines[@]+"${lines[@]}"}; do
		[[ $line =~ ^[A-Za-z]+=[^[:cntrl:]]*$ ]] || die "OSTRICH_SLURM_LINES: $line: must be KEY=VALUE"
		text=$(sed "/^${line%%=*}=/Id" <<<"$text")
		text+=$'\n'$line
	done
	printf '%s\n' "$text"
}

slurmdbd_conf() {
	cat <<-CONF
		# Written by the testbed's init at every start.
		DbdHost=slurmdbd
		SlurmUser=slurm
		PidFile=/run/slurm/slurmdbd.pid
		AuthType=auth/munge
		DebugLevel=info
		StorageType=accounting_storage/mysql
		StorageHost=mariadb
		StorageLoc=$database
		StorageUser=slurm
		StoragePass=$(<"$config/slurm.password")
	CONF
}

# secret FILE OWNER makes a file with a random password, once.
secret() {
	[ -s "$1" ] || (umask 077 && head -c 48 /dev/urandom | base64 --wrap=0 | tr '+/' 'xy' >"$1.new" && mv "$1.new" "$1")
	chown "$2" "$1"
	chmod 400 "$1"
}

# put FILE OWNER MODE replaces a file by the standard input, at once.
put() {
	cat >"$1.new"
	chown "$2" "$1.new"
	chmod "$3" "$1.new"
	mv "$1.new" "$1"
}

release=$(slurmctld -V | grep -Eo '[0-9]+\.[0-9]+' | head -n 1)
[ "$(printf '%s\n' 22.05 "$release" | sort -V | head -n 1)" = 22.05 ] ||
	die "Slurm $release: nodes that come and go need 22.05 at least; choose a newer base image"

secret "$config/ostrich.password" ostrich
secret "$config/slurm.password" root
secret "$config/munge.key" munge
slurmdbd_conf | put "$config/slurmdbd.conf" slurm 600
with_lines | put "$config/slurm.conf" root 644
# Containers without privileges have no say over cgroups. Releases that look for
# them even so can be told.
[ "$(printf '%s\n' 23.02 "$release" | sort -V | head -n 1)" != 23.02 ] ||
	echo CgroupPlugin=disabled | put "$config/cgroup.conf" root 644
while IFS=$'\t' read -r user _; do
	install -d -m 755 -o "$user" -g "$user" "/home/$user"
done < <(users_with_ids)
: >"$config/.complete"

start_munged
await slurmdbd slurmdbd_answers
make_associations "$cluster" || die "the accounts could not be made"
say "$(describe_accounts)"
await slurmctld slurmctld_answers
scontrol reconfigure
await "the cluster" "$here/ready" "${OSTRICH_NODES:-4}"

# The first time, a job of a user proves that jobs run and are accounted for;
# fairshare then forgets it.
completed() { [ "$(sacct --noheader --allocations --parsable2 --jobs="$1" --format=state)" = COMPLETED ]; }
if [ ! -e "$config/.proved" ]; then
	user=$(testbed_users | head -n 1)
	job=$(as "$user" sbatch --parsable --chdir=/ --output=/dev/null --time=1 --job-name=testbed-ready --wrap=true)
	await "job $job of $user to be completed in the accounts" completed "$job"
	for account in root $(testbed_accounts); do
		printf 'modify account %s cluster=%s set rawusage=0\n' "$account" "$cluster"
	done | sacctmgr --immediate >/dev/null
	: >"$config/.proved"
	say "job $job of $user ran on $(sacct --noheader --allocations --parsable2 --jobs="$job" --format=nodelist) and is accounted for"
fi
say "the cluster is ready: Slurm $release, ${OSTRICH_NODES:-4} nodes of ${OSTRICH_CPUS:-4} processors"
