-- What slurmdbd puts into new tables, and a cluster.

INSERT INTO `tres_table` (`creation_time`, `id`, `type`, `name`) VALUES
  (1, 1, 'cpu', ''), (1, 2, 'mem', ''), (1, 3, 'energy', ''), (1, 4, 'node', ''), (1, 5, 'billing', ''),
  (1, 6, 'fs', 'disk'), (1, 7, 'vmem', ''), (1, 8, 'pages', '');

INSERT INTO `qos_table` (`creation_time`, `mod_time`, `id`, `name`) VALUES (1, 1, 1, 'normal');

INSERT INTO `convert_version_table` (`mod_time`, `version`) VALUES (0, 12);

INSERT INTO `cluster_table` (`creation_time`, `mod_time`, `name`, `control_host`, `control_port`, `last_port`,
  `rpc_version`, `dimensions`, `federation`, `features`, `fed_id`, `fed_state`)
  VALUES (1, 1, '{cluster}', '127.0.0.1', 6817, 6817, 9728, 1, '', '', 0, 0);

INSERT INTO `{cluster}_assoc_table` (`creation_time`, `mod_time`, `id_assoc`, `user`, `acct`, `parent_acct`, `lft`, `rgt`)
  VALUES (1, 1, 1, '', 'root', '', 1, 4), (1, 1, 2, 'root', 'root', '', 2, 3);
