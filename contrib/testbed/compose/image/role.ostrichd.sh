# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of lib.sh
# OStrich, as the unprivileged operator. It observes unless OSTRICH_MODE is
# enforce.

settings() {
	cat <<-CONF
		cluster: $cluster
		mode: ${OSTRICH_MODE:-observe}
		interval: 2s
		database:
		  address: mariadb:3306
		  user: ostrich
		  password_file: $config/ostrich.password
		  name: $database
		slurm:
		  timeout: 30s
		listen: 0.0.0.0:9343 # of this container; its port is published on the host's loopback
	CONF
}

settings >/etc/ostrich/ostrich.yaml
start_munged
await "slurmdbd to know the cluster" cluster_registered
await slurmctld slurmctld_answers
chown ostrich:ostrich /var/lib/ostrich
install -d -m 755 -o ostrich -g ostrich /run/ostrich
unset OSTRICH_MODE
as ostrich ostrichd
