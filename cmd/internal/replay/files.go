package replay

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/priority/slurm"
)

// readFiles reads the configuration of Slurm from the files that are named.
func (s *source) readFiles() error {
	o := s.o
	read := func(option, path string, parse func(text string) error) error {
		if path == "" {
			return nil
		}
		raw, err := os.ReadFile(path)
		if err == nil {
			err = parse(string(bytes.TrimPrefix(raw, []byte("\ufeff"))))
		}
		if err != nil {
			return fmt.Errorf("--%s: %s: %w", option, path, err)
		}
		return nil
	}
	site := &accounting.Site{}
	return errors.Join(
		read("slurm-config", o.SlurmConfig, func(text string) error {
			include := included(o.SlurmConfig)
			controller, err := slurm.ParseController(text, include)
			if err != nil {
				return err
			}
			s.setup.Controller = &controller
			if !o.given("partitions") {
				s.setup.Partitions, err = slurm.ParsePartitions(text, include)
			}
			if errors.Is(err, slurm.ErrNoPartition) {
				return nil
			}
			return err
		}),
		read("partitions", o.Partitions, func(text string) (err error) {
			s.setup.Partitions, err = slurm.ParsePartitions(text, included(o.Partitions))
			return err
		}),
		read("associations", o.Associations, func(text string) error {
			s.setup.Site = site
			return sacct.ReadAssociations(site, strings.NewReader(text), o.Associations, o.Cluster)
		}),
		read("qos-file", o.QOS, func(text string) error {
			s.setup.Site = site
			return sacct.ReadQOS(site, strings.NewReader(text), o.QOS)
		}),
	)
}

// included returns the function that reads what a slurm.conf includes. Names without a
// folder are beside it.
func included(conf string) slurm.Include {
	return func(name string) (string, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(conf), name)
		}
		raw, err := os.ReadFile(name)
		return string(raw), err
	}
}
