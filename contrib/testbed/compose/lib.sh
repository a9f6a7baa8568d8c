# shellcheck shell=bash
# The parts share variables, which one file alone does not show:
# shellcheck disable=SC2034,SC2154
# What the commands of the compose testbed share.

# shellcheck source=../options.sh
. "$here/../options.sh"

# docker-compose gives up after a minute without an answer; a busy engine takes longer.
export COMPOSE_HTTP_TIMEOUT=${COMPOSE_HTTP_TIMEOUT:-600}
root=$(realpath -- "$here/../../..")

# set_project names the project: the argument, the environment, or .env.
set_project() {
	local name=$1
	[ -n "$name" ] || name=${COMPOSE_PROJECT_NAME-}
	[ -n "$name" ] || name=$(sed -n 's/^COMPOSE_PROJECT_NAME=//p' "$here/.env")
	[[ $name =~ ^[a-z0-9][a-z0-9_-]{0,40}$ ]] || die "--project $name: must be lower-case letters, digits, - and _"
	export COMPOSE_PROJECT_NAME=$name
}

# compose runs the engine's compose, the plugin or the older program, on the
# testbed's file, and on a docker-compose.override.yml beside it.
compose() {
	if [ -z "${compose_program-}" ]; then
		if docker compose version >/dev/null 2>&1; then
			compose_program="docker compose"
		elif command -v docker-compose >/dev/null; then
			compose_program=docker-compose
		else
			die "neither docker compose nor docker-compose is installed"
		fi
	fi
	# shellcheck disable=SC2086 # two words
	(cd "$here" && command $compose_program "$@")
}

need_engine() {
	command -v docker >/dev/null || die "docker: not installed"
	docker version --format '{{.Server.Version}}' >/dev/null || die "docker: no engine answers (may $(id -un) talk to it?)"
}

# containers [SERVICE] prints the ids of the project's containers, running or not.
containers() {
	docker ps --all --quiet --no-trunc --filter "label=com.docker.compose.project=$COMPOSE_PROJECT_NAME" \
		${1:+--filter "label=com.docker.compose.service=$1"}
}

# running SERVICE prints the id of the first running container of the service.
running() {
	local id
	id=$(docker ps --quiet --filter "label=com.docker.compose.project=$COMPOSE_PROJECT_NAME" --filter "label=com.docker.compose.service=$1" | head -n 1)
	[ -n "$id" ] || { say "no container of $1 is running in project $COMPOSE_PROJECT_NAME" && return 1; }
	printf '%s\n' "$id"
}

# inside SERVICE COMMAND... runs a command in a container of the service;
# inside_stdin gives it the standard input.
inside() {
	local id
	id=$(running "$1") && docker exec "$id" "${@:2}"
}
inside_stdin() {
	local id
	id=$(running "$1") && docker exec --interactive "$id" "${@:2}"
}

# wait_for SECONDS COMMAND... repeats the command until it succeeds.
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.5
	done
}
