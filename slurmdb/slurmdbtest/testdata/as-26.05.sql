-- From 25.05 on to 26.05: whether jobs have their nodes for themselves.

ALTER TABLE `{cluster}_job_table` ADD COLUMN `exclusive` tinytext, ADD COLUMN `oversubscribe` tinytext,
  ADD COLUMN `sluid` bigint unsigned NOT NULL DEFAULT 0, ADD KEY `sluid` (`sluid`);
