# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of lib.sh
# The database of slurmdbd, with two accounts: slurmdbd's own, and that of
# OStrich, which may only SELECT. They are made at every start, so that they
# match the passwords in the configuration.

accounts_sql() {
	cat <<-SQL
		CREATE DATABASE IF NOT EXISTS $database;
		CREATE USER IF NOT EXISTS 'slurm'@'%';
		ALTER USER 'slurm'@'%' IDENTIFIED BY '$(<"$config/slurm.password")';
		GRANT ALL ON $database.* TO 'slurm'@'%';
		CREATE USER IF NOT EXISTS 'ostrich'@'%';
		ALTER USER 'ostrich'@'%' IDENTIFIED BY '$(<"$config/ostrich.password")';
		GRANT SELECT ON $database.* TO 'ostrich'@'%';
	SQL
}

await "the configuration" configured
install -d -m 755 -o mysql -g mysql /run/mysqld
install -d -m 700 -o mysql -g mysql /var/lib/mysql
if [ ! -e /var/lib/mysql/.complete ]; then
	find /var/lib/mysql -mindepth 1 -delete # an interrupted run starts over
	mariadb-install-db --no-defaults --user=mysql --datadir=/var/lib/mysql --skip-test-db \
		--auth-root-authentication-method=socket >/dev/null
	: >/var/lib/mysql/.complete
fi
(umask 077 && accounts_sql >/run/mysqld/accounts.sql)
chown mysql /run/mysqld/accounts.sql
# A testbed may lose its last second in a power cut, but nothing when it is killed.
exec mariadbd --no-defaults --user=mysql --datadir=/var/lib/mysql --socket=/run/mysqld/mysqld.sock \
	--init-file=/run/mysqld/accounts.sql --skip-name-resolve --skip-log-bin \
	--innodb-buffer-pool-size=128M --innodb-log-file-size=64M --innodb-lock-wait-timeout=900 \
	--innodb-flush-log-at-trx-commit=2 --innodb-use-native-aio=0 --loose-innodb-snapshot-isolation=OFF
