package replay

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/inventory"
	"slurm-ostrich/cmd/internal/simulation"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/priority/slurm/fromjson"
)

// The files that say how Slurm is configured.
const (
	configFile       = "a configuration"
	partitionsFile   = "partitions"
	associationsFile = "associations"
	qosFile          = "QOS"
	nodesFile        = "nodes"
	reservationsFile = "reservations"
	eventsFile       = "events of nodes"
	reservedFile     = "reservations in accounting"
)

var (
	// ofConfig matches a line that only a whole configuration has.
	ofConfig = regexp.MustCompile(`(?im)^\s*(Configuration data as of|(ClusterName|SlurmctldHost(\[\d\])?|ControlMachine|PriorityType)\s*=)`)

	// shown matches what scontrol shows of a partition or a node, and no slurm.conf has.
	shown = regexp.MustCompile(`(?i)\b(TotalCPUs|TotalNodes|CPUTot)=`)

	// confLine matches a line of a slurm.conf, or of what scontrol shows.
	confLine = regexp.MustCompile(`(?im)^\s*(\w+\s*=|include\s)`)

	// comments matches lines without a meaning at the beginning of a text.
	comments = regexp.MustCompile(`^(\s*(#.*)?\n)+`)
)

// noReservations begins what scontrol shows where there are none, in lower case.
var noReservations = strings.ToLower(fromjson.NoReservations)

// kindOf returns what a file of Slurm's configuration has, by its text; nothing if it is none of these. Partitions as a
// slurm.conf has them are a configuration, unless there is a whole one besides.
func kindOf(text string, whole bool) string {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(comments.ReplaceAllString(text, ""))), "\n")
	names := strings.Split(strings.TrimSpace(first), "|")
	switch header := len(names) > 1 && !strings.Contains(first, "="); {
	case header && slices.Contains(names, "jobid"):
		return ""
	case header && slices.Contains(names, "account"):
		return associationsFile
	case header && slices.Contains(names, "name") && (slices.Contains(names, "timestart") || slices.Contains(names, "start")):
		return reservedFile
	case header && slices.Contains(names, "nodename"):
		return eventsFile
	case header:
		return qosFile
	case strings.HasPrefix(first, "current association manager state"): // scontrol show assoc_mgr
		return ""
	case ofConfig.MatchString(text):
		return configFile
	case strings.HasPrefix(first, "reservationname="), strings.HasPrefix(first, noReservations):
		return reservationsFile
	case !confLine.MatchString(text):
		return ""
	case strings.Contains(text, "CPUTot=") && !strings.Contains(text, "PartitionName="):
		return nodesFile
	case whole || shown.MatchString(text):
		return partitionsFile
	}
	return configFile
}

// unread says why a file is none of those that are read.
func unread(text string) error {
	_, second, _ := strings.Cut(strings.TrimSpace(text), "\n")
	second, _, _ = strings.Cut(second, "\n")
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("is empty")
	case simulation.NamesColumns([]byte(text)):
		return errors.New("seems to be a dump of sacct: --sacct reads it")
	case strings.Trim(second, "- \r") == "" && strings.Contains(second, "--"):
		return errors.New("is a table of columns of fixed widths, which cut names off: run sacctmgr again with --parsable2")
	}
	return errors.New("is neither a slurm.conf nor what scontrol show config, partition, node or reservation, or sacctmgr --parsable2 show associations, qos, event or reservation write")
}

// readFiles reads the configuration of Slurm from the files that are named.
func (s *source) readFiles() error {
	var errs []error
	failed := func(path string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("--slurm-config: %s: %w", path, err))
		}
	}
	unsaid := "" // the JSON of partitions that does not tell their PreemptMode
	texts, whole := make([]string, len(s.o.SlurmConfig)), false
	for i, path := range s.o.SlurmConfig {
		raw, err := os.ReadFile(path)
		failed(path, err)
		if bytes.Contains(raw, []byte(`"partitions"`)) && bytes.Contains(raw, []byte(`"job_factor"`)) && !bytes.Contains(raw, []byte(`"preempt_mode"`)) {
			unsaid = path
		}
		text, bad := fromjson.Shown(string(bytes.TrimPrefix(raw, []byte("\ufeff"))))
		failed(path, bad)
		texts[i] = text
		whole = whole || ofConfig.MatchString(texts[i])
	}
	if errs != nil {
		return errors.Join(errs...)
	}
	cluster := func(text string) string { return s.cluster(text, strings.Join(texts, "\n")) }
	site, at := &accounting.Site{}, make(map[string]int)
	for i, path := range s.o.SlurmConfig {
		kind := kindOf(texts[i], whole)
		if kind == "" {
			failed(path, unread(texts[i]))
			continue
		}
		if _, twice := at[kind]; twice {
			failed(path, fmt.Errorf("is a second file of %s", kind))
			continue
		}
		at[kind] = i
		switch kind {
		case associationsFile:
			s.setup.Site = site
			failed(path, sacct.ReadAssociations(site, strings.NewReader(texts[i]), path, cluster(texts[i])))
		case qosFile:
			s.setup.Site = site
			failed(path, sacct.ReadQOS(site, strings.NewReader(texts[i]), path))
		}
	}
	i, configured := at[configFile]
	if configured {
		path := s.o.SlurmConfig[i]
		controller, err := slurm.ParseController(texts[i], inventory.Included(path))
		s.setup.Controller = &controller
		failed(path, err)
	}
	if k := s.setup.Controller; unsaid != "" && k != nil && k.PreemptType == "preempt/partition_prio" {
		s.notes = append(s.notes, fmt.Sprintf("%s: JSON of before Slurm 26.05 does not tell the PreemptMode of partitions: all are taken to have that of the cluster, %s. "+
			"What `scontrol show partition` writes without --json tells it.", unsaid, cmp.Or(k.PreemptMode, "OFF")))
	}
	j, apart := at[partitionsFile]
	if !apart {
		j = i
	}
	if apart || configured && errs == nil {
		path, text := s.o.SlurmConfig[j], texts[j]
		if k, is := at[nodesFile]; is && shown.MatchString(text) {
			text += "\n" + texts[k]
		}
		partitions, err := slurm.ParsePartitions(text, inventory.Included(path))
		if k, is := at[nodesFile]; is && errors.Is(err, slurm.ErrShownNode) {
			path = s.o.SlurmConfig[k]
		}
		if s.setup.Partitions = partitions; apart || !errors.Is(err, slurm.ErrNoPartition) {
			failed(path, err)
		}
	}
	if k, is := at[reservationsFile]; is && strings.HasPrefix(strings.ToLower(strings.TrimSpace(texts[k])), noReservations) {
		delete(at, reservationsFile)
	}
	for _, kind := range []string{nodesFile, partitionsFile, configFile, reservationsFile} { // what is shown of a node goes before slurm.conf
		k, is := at[kind]
		if !is || errs != nil {
			continue
		}
		records, err := slurm.ParseRecords(texts[k], inventory.Included(s.o.SlurmConfig[k]))
		failed(s.o.SlurmConfig[k], err)
		for i := range records {
			records[i].Where = fmt.Sprintf("--slurm-config: %s: %s", s.o.SlurmConfig[k], records[i].Where)
			if bad := checkAmounts(&records[i]); bad != nil {
				errs = append(errs, bad)
			}
		}
		s.setup.Records = append(s.setup.Records, records...)
	}
	if k, is := at[eventsFile]; is {
		events, err := sacct.ReadOutages(strings.NewReader(texts[k]), s.o.SlurmConfig[k], cluster(texts[k]), cmp.Or(s.location, time.UTC), ostrich.Time(s.now.Unix()))
		s.setup.Events = events
		failed(s.o.SlurmConfig[k], err)
	}
	if k, is := at[reservedFile]; is {
		reserved, err := sacct.ReadReservations(strings.NewReader(texts[k]), s.o.SlurmConfig[k], cluster(texts[k]), cmp.Or(s.location, time.UTC), ostrich.Time(s.now.Unix()))
		s.setup.Reserved = reserved
		failed(s.o.SlurmConfig[k], err)
	}
	return errors.Join(errs...)
}

// checkAmounts reads what only the unit of work needs of a record, while it is known where it stands.
func checkAmounts(r *slurm.Record) error {
	if text := r.Get("tresbillingweights"); text != "" && r.Kind == slurm.PartitionRecord {
		if _, err := accounting.ReadWeights(text); err != nil {
			return fmt.Errorf("%s: TRESBillingWeights=%q: %w", r.Where, text, err)
		}
	}
	if text := r.Get("cfgtres"); text != "" && r.Kind == slurm.NodeRecord {
		if _, err := sacct.ReadResources([]byte(text), nil); err != nil {
			return fmt.Errorf("%s: CfgTRES=%q: %w", r.Where, text, err)
		}
	}
	return nil
}

// ofCluster matches the line of a configuration that names the cluster.
var ofCluster = regexp.MustCompile(`(?im)^\s*ClusterName\s*=\s*"?([\w-]+)`)

// cluster returns the cluster of which a table of sacctmgr's is read: the one that was chosen, or that of the
// configuration if the table has several. Then sacctmgr shows all that slurmdbd knows.
func (s *source) cluster(table, configuration string) string {
	named := ofCluster.FindStringSubmatch(configuration)
	if s.o.Cluster != "" || named == nil {
		return s.o.Cluster
	}
	name := strings.ToLower(named[1]) // as slurmctld registers it
	if all, err := sacct.ReadNames(strings.NewReader(table), "sacctmgr", "Cluster"); err == nil && len(all[0]) > 1 && slices.Contains(all[0], name) {
		return name
	}
	return ""
}
