# shellcheck shell=bash
# The parts share variables, which one file alone does not show:
# shellcheck disable=SC2034,SC2154
# Users, ports and the database of a testbed.

# make_users creates the submitting users and the operator where they do not
# exist yet: system users without login or home.
make_users() {
	local user names present
	mapfile -t names < <(testbed_users)
	names+=("$testbed_operator")
	present=$'\n'$(getent passwd "${names[@]}") || true # fails if one is missing
	for user in "${names[@]}"; do
		if [[ $present == *$'\n'"$user:"* ]]; then continue; fi
		useradd --system --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin \
			--user-group --comment "$testbed_gecos" "$user" || die "useradd $user: failed"
	done
}

# register enters this testbed among those of the machine, and refuses ports
# that another one has.
register() {
	local file testbed_dir='' first=0 final=0 last=$((node_port + nodes - 1))
	make_users
	for file in "$testbed_registry"/*; do
		[ -f "$file" ] || continue
		# shellcheck disable=SC1090 # assignments, written below
		if ! . "$file" || [ ! -e "$testbed_dir" ]; then
			rm "$file" # somebody removed it without down
		elif [ "$dir" != "$testbed_dir" ] && [ "$first" -le "$last" ] && [ "$final" -ge "$port" ]; then
			die "--port $port: ports $port to $last overlap with those of the testbed in $testbed_dir"
		fi
	done
	unregister_entry
	printf 'testbed_dir=%q first=%q final=%q\n' "$dir" "$port" "$last" >"$testbed_registry/$port"
}

unregister_entry() {
	local file testbed_dir='' first=0 final=0
	for file in "$testbed_registry"/*; do
		[ -f "$file" ] || continue
		# shellcheck disable=SC1090 # written by register
		if . "$file" && [ "$dir" = "$testbed_dir" ]; then rm "$file"; fi
	done
}

# unregister leaves the list. The last testbed takes the users it made along.
unregister() {
	local user
	unregister_entry
	if [ -n "$(ls "$testbed_registry")" ]; then return 0; fi
	for user in $(testbed_users) "$testbed_operator"; do
		if [ "$(getent passwd "$user" | cut -d: -f5)" = "$testbed_gecos" ]; then
			userdel "$user" 2>/dev/null || say "userdel $user: failed; the user stays"
		fi
	done
	rm -rf "$testbed_registry"
}

# free_ports refuses ports that some other program listens on. While a daemon of this testbed
# runs, it may be that one.
free_ports() {
	local p name taken=()
	while IFS= read -r name; do
		if [ "$name" != munged ] && running "$name"; then return 0; fi
	done < <(known_daemons)
	for p in "$ctld_port" "$dbd_port" "$db_port" "$listen_port" $(seq "$node_port" $((node_port + nodes - 1))); do
		if (exec 3<>"/dev/tcp/127.0.0.1/$p") 2>/dev/null; then taken+=("$p"); fi
	done
	[ "${#taken[@]}" = 0 ] || die "--port $port: another program listens on ${taken[*]}; choose another base port"
}

sql() { mariadb --no-defaults --protocol=socket --socket="$db_socket" --user=root --batch --skip-column-names "$@"; }

# make_datadir creates the database's files; an interrupted run starts over.
make_datadir() {
	[ ! -e "$dir/mysql/.complete" ] || return 0
	find "$dir/mysql" -mindepth 1 -delete
	# A mariadbd that starts removes the temporary tables of its tmpdir, those of
	# another one too.
	mariadb-install-db --no-defaults --user=mysql --datadir="$dir/mysql" --tmpdir="$dir/tmp" --skip-test-db --innodb-use-native-aio=0 \
		--auth-root-authentication-method=socket >"$dir/log/mariadb-install-db.log" 2>&1 || {
		grep -i error "$dir/log/mariadb-install-db.log" | head -n 5 | sed 's/^/    /' >&2
		die "mariadb-install-db: failed, its output is in $dir/log/mariadb-install-db.log"
	}
	: >"$dir/mysql/.complete"
}

# make_database creates slurmdbd's database and its two accounts: slurmdbd's
# own, and one that may only SELECT.
make_database() {
	local host
	{
		printf 'CREATE DATABASE IF NOT EXISTS %s;\n' "$testbed_database"
		for host in localhost 127.0.0.1; do
			printf "CREATE USER IF NOT EXISTS 'slurm'@'%s';\n" "$host"
			printf "ALTER USER 'slurm'@'%s' IDENTIFIED BY '%s';\n" "$host" "$(<"$dir/etc/slurm.password")"
			printf "GRANT ALL ON %s.* TO 'slurm'@'%s';\n" "$testbed_database" "$host"
			printf "CREATE USER IF NOT EXISTS '%s'@'%s';\n" "$testbed_operator" "$host"
			printf "ALTER USER '%s'@'%s' IDENTIFIED BY '%s';\n" "$testbed_operator" "$host" "$(<"$password_file")"
			printf "GRANT SELECT ON %s.* TO '%s'@'%s';\n" "$testbed_database" "$testbed_operator" "$host"
		done
	} | sql --batch
}
