-- The database account of OStrich: SELECT, and nothing else. slurmdbd alone
-- writes to its database; a stolen password of this account reads job records.
--
-- Replace before use: the password, which is there twice, 'localhost' if the
-- daemon runs on another machine than the database, slurm_acct_db if StorageLoc
-- in slurmdbd.conf says otherwise, and linux by ClusterName of slurm.conf in lower
-- case, which is the prefix of the tables. Then, as the database's administrator:
--
--     mariadb < grants.sql
--
-- Run again, it sets the password anew and changes nothing else.
--
-- `ostrich check` tells what the account may do and what it lacks.

CREATE USER IF NOT EXISTS 'ostrich'@'localhost' IDENTIFIED BY 'change-me';

-- An account that was there already gets the password, too.
ALTER USER 'ostrich'@'localhost' IDENTIFIED BY 'change-me'
	-- One daemon, its tool and a reload at once need no more.
	WITH MAX_USER_CONNECTIONS 10;

-- Over the network, demand TLS:
-- ALTER USER 'ostrich'@'10.0.0.%' REQUIRE SSL;

-- On one machine the socket can vouch for the Unix user, without a password:
-- ALTER USER 'ostrich'@'localhost' IDENTIFIED VIA unix_socket;

-- Variant 1, the simple one: the whole accounting database. It covers every
-- cluster in it, also those added later, and columns of releases to come.

GRANT SELECT ON `slurm_acct_db`.* TO 'ostrich'@'localhost';

-- Variant 2, the narrow one: only the tables that are read. Job scripts and
-- environments, which can hold users' secrets, stay closed: since Slurm 22.05
-- they are in tables of their own (linux_job_script_table, linux_job_env_table).
-- Use it instead of variant 1: remove the line above, or take it back with
--
--     REVOKE SELECT ON `slurm_acct_db`.* FROM 'ostrich'@'localhost';
--
-- Which columns and indexes a table has is probed in information_schema, which
-- shows an account the tables it was granted and needs no grant of its own.
--
-- Of one cluster; repeat for each cluster that has a daemon:
-- GRANT SELECT ON `slurm_acct_db`.`linux_job_table`     TO 'ostrich'@'localhost'; -- the jobs
-- GRANT SELECT ON `slurm_acct_db`.`linux_suspend_table` TO 'ostrich'@'localhost'; -- when they were suspended
-- GRANT SELECT ON `slurm_acct_db`.`linux_event_table`   TO 'ostrich'@'localhost'; -- size of the cluster, outages
-- GRANT SELECT ON `slurm_acct_db`.`linux_assoc_table`   TO 'ostrich'@'localhost'; -- accounts, users, shares, limits
-- GRANT SELECT ON `slurm_acct_db`.`linux_resv_table`    TO 'ostrich'@'localhost'; -- reservations, for ostrich compare
--
-- Of all clusters:
-- GRANT SELECT ON `slurm_acct_db`.`cluster_table`       TO 'ostrich'@'localhost'; -- which clusters exist
-- GRANT SELECT ON `slurm_acct_db`.`qos_table`           TO 'ostrich'@'localhost'; -- names and limits of QOS
-- GRANT SELECT ON `slurm_acct_db`.`tres_table`          TO 'ostrich'@'localhost'; -- names of GRES and licences, if work is counted by them, and for ostrich compare

SHOW GRANTS FOR 'ostrich'@'localhost';
