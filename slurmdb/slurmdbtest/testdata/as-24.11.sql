-- From 22.05 on to the columns of 24.11 that matter here. Ids of rows are
-- SLUIDs, which use all 64 bits.

ALTER TABLE `{cluster}_job_table` MODIFY `job_db_inx` bigint unsigned NOT NULL, ADD COLUMN `extra` text,
  ADD COLUMN `failed_node` tinytext, ADD COLUMN `licenses` text, ADD COLUMN `std_err` text, ADD COLUMN `std_in` text,
  ADD COLUMN `std_out` text, ADD COLUMN `qos_req` text, ADD COLUMN `restart_cnt` smallint unsigned DEFAULT 0,
  MODIFY `submit_line` longtext, DROP KEY `archive_purge`, ADD KEY `archive_purge` (`time_end`);

ALTER TABLE `{cluster}_event_table` ADD COLUMN `deleted` tinyint NOT NULL DEFAULT 0, ADD COLUMN `extra` text,
  ADD COLUMN `instance_id` text, ADD COLUMN `instance_type` text;

ALTER TABLE `{cluster}_suspend_table` ADD COLUMN `deleted` tinyint NOT NULL DEFAULT 0;

ALTER TABLE `{cluster}_assoc_table` ADD COLUMN `comment` text, ADD COLUMN `flags` int unsigned NOT NULL DEFAULT 0,
  ADD COLUMN `id_parent` int unsigned NOT NULL DEFAULT 0, ADD COLUMN `lineage` text;

ALTER TABLE `cluster_table` ADD COLUMN `id` smallint NOT NULL DEFAULT 2049;

UPDATE `convert_version_table` SET `version` = 16;
