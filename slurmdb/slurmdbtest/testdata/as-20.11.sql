-- From 22.05 back to the columns of 20.11 that matter here.

ALTER TABLE `{cluster}_job_table` DROP COLUMN `container`, DROP COLUMN `submit_line`, DROP COLUMN `env_hash_inx`,
  DROP COLUMN `script_hash_inx`, ADD COLUMN `track_steps` tinyint NOT NULL DEFAULT 0,
  MODIFY `kill_requid` int NOT NULL DEFAULT -1, DROP KEY `archive_purge`;

DROP TABLE `{cluster}_job_env_table`, `{cluster}_job_script_table`;

UPDATE `convert_version_table` SET `version` = 9;
