# shellcheck shell=bash
# The accounts and users of a testbed, and how Slurm's accounting comes to have
# them. To be sourced; needs sacctmgr where it says so.

accounts_file=$(dirname -- "${BASH_SOURCE[0]}")/accounts.tsv

# account_rows KIND prints the rows of a kind: account, user or operator.
account_rows() { grep -E "^$1"$'\t' "$accounts_file"; }

# testbed_accounts prints the names of the accounts, one a line.
testbed_accounts() { account_rows account | cut -f2; }

# testbed_users prints the names of the submitting users, one a line.
testbed_users() { account_rows user | cut -f2; }

# The user of OStrich: AdminLevel=Operator, no jobs of its own.
testbed_operator=$(account_rows operator | cut -f2)

# users_with_ids prints all users and the operator, each with the uid that it
# has in containers.
users_with_ids() { account_rows '(operator|user)' | cut -f2,5; }

# describe_accounts prints the tree on one line.
describe_accounts() {
	local name shares text=''
	while IFS=$'\t' read -r _ name _ shares _; do
		text+="${text:+; }$name (shares $shares): $(account_rows user | awk -v a="$name" '$3 == a {print $2}' | paste -sd ' ')"
	done < <(account_rows account)
	printf '%s\n' "$text"
}

# associations CLUSTER prints accounts and users as sacctmgr shows them, and
# the operator's rights.
associations() {
	sacctmgr --noheader --parsable2 show associations cluster="$1" format=account,user &&
		sacctmgr --noheader --parsable2 show user "$testbed_operator" format=user,adminlevel
}

# wanted_associations prints what associations prints of a complete testbed.
wanted_associations() {
	printf '%s|\n' root
	printf '%s|%s\n' root root
	account_rows account | awk '{print $2 "|"}'
	account_rows '(user|operator)' | awk '{print $3 "|" $2}'
	printf '%s|Operator\n' "$testbed_operator"
}

# missing_associations CLUSTER prints what a complete testbed has and this
# cluster has not; it fails if sacctmgr does.
missing_associations() {
	local present
	present=$(associations "$1") || return
	comm -13 <(sort <<<"$present") <(wanted_associations | sort)
}

# association_commands CLUSTER prints commands of sacctmgr that add everything.
association_commands() {
	local kind name account shares limit more
	printf 'add cluster %s\n' "$1"
	while IFS=$'\t' read -r kind name account shares _ limit; do
		more="fairshare=$shares"
		[ "$limit" = - ] || more+=" $limit"
		case $kind in
		account) printf 'add account %s cluster=%s parent=%s description=testbed organization=testbed %s\n' "$name" "$1" "$account" "$more" ;;
		user) printf 'add user %s cluster=%s account=%s %s\n' "$name" "$1" "$account" "$more" ;;
		operator)
			# For an existing user, add does not change the AdminLevel.
			printf 'add user %s cluster=%s account=%s %s\n' "$name" "$1" "$account" "$more"
			printf 'modify user %s set adminlevel=Operator\n' "$name"
			;;
		esac
	done < <(account_rows '(account|user|operator)')
}

# make_associations CLUSTER adds what is missing of cluster, accounts, users,
# shares, limits and the operator, and succeeds if all is there then. What
# somebody added or changed since stays.
make_associations() {
	local missing said
	missing=$(missing_associations "$1") || return
	if [ -z "$missing" ]; then return 0; fi
	# sacctmgr fails when an entry exists; what counts is the tree afterwards.
	said=$(association_commands "$1" | sacctmgr --immediate 2>&1) || true
	missing=$(missing_associations "$1") || return
	if [ -n "$missing" ]; then
		printf '%s\n' "$said" "sacctmgr: still missing in cluster $1: ${missing//$'\n'/ }" >&2
		return 1
	fi
}
