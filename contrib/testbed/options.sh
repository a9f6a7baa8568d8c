# shellcheck shell=bash
# shellcheck disable=SC2034 # commands say their name themselves, too
# What the commands of all testbeds share: what they say, and what they refuse.

prog=${0##*/}

say() { printf '%s: %s\n' "$prog" "$*" >&2; }

die() {
	say "$*"
	exit 1
}

# number NAME VALUE MIN MAX refuses an option that is not a number in a range.
number() {
	if ! [[ $2 =~ ^(0|[1-9][0-9]{0,5})$ ]] || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
		die "$1 $2: must be a number from $3 to $4"
	fi
}
