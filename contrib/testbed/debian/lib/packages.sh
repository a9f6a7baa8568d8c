# shellcheck shell=bash
# The parts share variables, which one file alone does not show:
# shellcheck disable=SC2034,SC2154
# The Debian packages the testbed runs, installed without starting anything.

testbed_packages=(slurmctld slurmd slurmdbd slurm-client slurm-wlm-mysql-plugin munge mariadb-server)

# install_packages installs what is missing. The distribution's own services
# are neither started nor enabled for the next boot; services of packages that
# were there before are not looked at.
install_packages() {
	local package present missing=()
	# It prints nothing of a package that was never here, and fails.
	# shellcheck disable=SC2016 # for dpkg-query
	present=$(dpkg-query -W -f '${db:Status-Status}=${Package} ' "${testbed_packages[@]}" 2>/dev/null) || true
	for package in "${testbed_packages[@]}"; do
		[[ " $present" == *" installed=$package "* ]] || missing+=("$package")
	done
	if [ "${#missing[@]}" = 0 ]; then return 0; fi
	command -v apt-get >/dev/null || die "missing ${missing[*]}: only Debian's packages can be installed, and there is no apt-get"
	say "installing ${missing[*]} (once; a minute or two)"
	with_registry install_quietly "${missing[@]}"
}

install_quietly() {
	local log policy=/usr/sbin/policy-rc.d units=()
	log=$(mktemp /tmp/ostrich-testbed-apt.XXXXXX)
	for unit in slurmctld slurmd slurmdbd munge mariadb; do
		systemctl cat "$unit" >/dev/null 2>&1 || units+=("$unit")
	done
	# The policy answers "forbidden" for the services that are new, and leaves
	# the others to the policy that was there.
	if grep -qs ostrich-testbed "$policy"; then
		rm "$policy" # of a run that was killed; what it had put aside still is
	fi
	[ ! -e "$policy" ] || mv "$policy" "$policy.ostrich-testbed"
	# shellcheck disable=SC2064 # the values of now
	trap "rm -f '$policy'; [ ! -e '$policy.ostrich-testbed' ] || mv '$policy.ostrich-testbed' '$policy'" EXIT
	{
		printf '#!/bin/sh\n'
		# shellcheck disable=SC2016 # for the script that is written
		printf 'case " %s " in *" ${1%%.service} "*) exit 101 ;; esac\n' "${units[*]}"
		printf '[ ! -x %s ] || exec %s "$@"\n' "$policy.ostrich-testbed" "$policy.ostrich-testbed"
	} >"$policy"
	chmod 755 "$policy"
	if ! {
		apt-get update && DEBIAN_FRONTEND=noninteractive \
			apt-get install -y --no-upgrade --no-install-recommends -o DPkg::Lock::Timeout=120 "$@"
	} >"$log" 2>&1 8>&-; then
		tail -n 15 "$log" >&2
		die "apt-get install $*: failed, the whole output is in $log"
	fi
	rm -f "$log"
	if [ -d /run/systemd/system ] && [ "${#units[@]}" -gt 0 ]; then
		systemctl disable --quiet "${units[@]}" 2>/dev/null || true
	fi
}
