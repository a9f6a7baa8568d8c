-- From 24.11 on to 25.05: the nested-set columns of the associations are gone.

ALTER TABLE `{cluster}_assoc_table` DROP COLUMN `lft`, DROP COLUMN `rgt`;

ALTER TABLE `{cluster}_job_table` ADD COLUMN `resv_req` text, ADD COLUMN `segment_size` smallint unsigned NOT NULL DEFAULT 0,
  ADD KEY `archive_delete` (`deleted`);
