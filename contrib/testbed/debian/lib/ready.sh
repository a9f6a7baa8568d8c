# shellcheck shell=bash
# The parts share variables, which one file alone does not show:
# shellcheck disable=SC2034,SC2154
# What a healthy testbed looks like; up waits for it and status reports it.

slurmdbd_answers() { timeout 5 sacctmgr --noheader show cluster; }

slurmctld_answers() { timeout 5 scontrol ping | grep -q ' UP'; }

mariadb_answers() { sql -e 'SELECT 1'; }

munged_answers() { munge --socket="$munge_socket" --no-input | unmunge --socket="$munge_socket" --no-output; }

# cluster_registered succeeds once slurmdbd knows where the controller is.
cluster_registered() {
	[ -n "$(timeout 5 sacctmgr --noheader --parsable2 show cluster "$cluster" format=controlhost)" ]
}

# usable_nodes counts the nodes that run or could run jobs.
usable_nodes() {
	timeout 5 sinfo --noheader --Node --partition=main --responding --states=idle,alloc,mix,comp --format=%N | sort -u | wc -l
}

all_nodes_usable() { [ "$(usable_nodes)" = "$nodes" ]; }

# cluster_recorded succeeds once the size of the machine stands in the
# accounting tables.
cluster_recorded() {
	[ "$(sql -e "SELECT COUNT(*) FROM $testbed_database.\`${cluster}_event_table\` WHERE node_name='' AND state=0 AND time_end=0 AND CONCAT(tres,',') LIKE '1=$((nodes * cpus)),%'")" = 1 ]
}

# run_test_job submits a job as a user and waits until accounting calls it completed.
run_test_job() {
	local user id
	read -r user < <(testbed_users)
	id=$(runuser -u "$user" -- sbatch --parsable --chdir=/ --output=/dev/null --time=1 --job-name=testbed-ready --wrap=true) ||
		die "sbatch as $user: refused"
	wait_for 120 "a job of $user ran and is in the accounting tables" completed "$id" ||
		die "job $id of $user: not completed within 120 s: $(scontrol show job "$id" 2>&1 | grep -Eo '(JobState|Reason)=[^ ]*' | paste -sd ' ')"
}

completed() { [ "$(sacct --noheader --allocations --parsable2 --jobs="$1" --format=state)" = COMPLETED ]; }

# no_usage succeeds when fairshare holds nothing against anybody.
no_usage() { [ "$(sshare --noheader --all --parsable2 --format=rawusage | sort -u)" = 0 ]; }

# reset_usage takes the test job out of fairshare's memory.
reset_usage() {
	local account
	for account in root $(testbed_accounts); do
		printf 'modify account %s cluster=%s set rawusage=0\n' "$account" "$cluster"
	done | sacctmgr --immediate >>"$dir/log/sacctmgr.log" 2>&1 || true
	await 180 "no usage is recorded" no_usage
}
