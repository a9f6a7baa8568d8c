# shellcheck shell=bash
# The parts share variables, which one file alone does not show:
# shellcheck disable=SC2034,SC2154
# The Go programs that the testbed runs.

# scenario_names prints the names of the scenarios on one line.
scenario_names() {
	(cd "$here/../scenarios" && printf '%s\n' *.yaml) | sed 's/\.yaml$//' | paste -sd ' '
}

# set_scenario finds a scenario by file or by name.
set_scenario() {
	scenario_file=$1
	[ -f "$scenario_file" ] || scenario_file=$here/../scenarios/$1.yaml
	[ -f "$scenario_file" ] || die "--scenario $1: no such file, and the scenarios are $(scenario_names)"
	scenario_file=$(realpath -- "$scenario_file")
}

# build_program NAME PACKAGE FILE DIR names in $program the program to run: the
# FILE if one is given, else what Go builds from the PACKAGE of this module.
build_program() {
	if [ -n "$3" ]; then
		program=$(realpath -- "$3")
		[ -x "$program" ] || die "$3: not a program"
		return 0
	fi
	local go
	go=$(command -v go || echo /usr/local/go/bin/go)
	[ -x "$go" ] || die "no go to build $1 with (${1^^}=FILE names a built one)"
	mkdir -p "$4"
	program=$4/$1
	(cd "$here/../../.." && "$go" build -o "$program" "./$2") || die "go build ./$2: failed"
}
