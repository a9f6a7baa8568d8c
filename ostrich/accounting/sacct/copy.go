package sacct

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// Copy writes the jobs that are read in one form, whatever theirs was: text with a header, columns
// between tabs, in the order of the dump. Read reads it as it read the dump. Times are those of UTC,
// and of those that a clock showed twice the one that was taken. Steps, comments and what was
// skipped are not there. A tab or a new line in a text becomes a blank.
type Copy struct {
	To io.Writer

	// Anonymous replaces the names of users, accounts, reservations and jobs: user1, account1, and the same
	// letters for jobs of one name but for its digits. It leaves out uids, folders and lines of submission.
	Anonymous bool

	columns      []column // nil before the first job
	users        map[string]string
	accounts     map[string]string
	reservations map[string]string
	names        map[uint64]string
	line         []byte
}

// copied are the columns of a copy, in their order.
var copied = []struct {
	column column
	name   string
}{
	{colRaw, "JobIDRaw"},
	{colID, "JobID"},
	{colInterval, "Interval"},
	{colCluster, "Cluster"},
	{colPartition, "Partition"},
	{colQOS, "QOS"},
	{colAccount, "Account"},
	{colUser, "User"},
	{colUID, "UID"},
	{colSubmit, "Submit"},
	{colEligible, "Eligible"},
	{colStart, "Start"},
	{colEnd, "End"},
	{colElapsed, "Elapsed"},
	{colElapsedRaw, "ElapsedRaw"},
	{colSuspended, "Suspended"},
	{colState, "State"},
	{colNodes, "NNodes"},
	{colProcs, "NCPUS"},
	{colAsked, "ReqCPUS"},
	{colAskedNodes, "ReqNodes"},
	{colGPUs, "GPUs"},
	{colMemory, "ReqMem"},
	{colGRES, "ReqGRES"},
	{colReqTRES, "ReqTRES"},
	{colAllocTRES, "AllocTRES"},
	{colLimit, "Timelimit"},
	{colLimitRaw, "TimelimitRaw"},
	{colWalltime, "Walltime"},
	{colConstraints, "Constraints"},
	{colReservation, "Reservation"},
	{colLicenses, "Licenses"},
	{colFlags, "Flags"},
	{colExclusive, "Exclusive"},
	{colPriority, "Priority"},
	{colNodeList, "NodeList"},
	{colName, "JobName"},
	{colFolder, "WorkDir"},
	{colSubmitLine, "SubmitLine"},
}

// copy writes a job with these values, as the options want it.
func (d *dump) copy(values *[columns][]byte, j *accounting.Job) error {
	c := d.options.Copy
	same, err := c.begin(func(one column) bool { return d.has(one, values) })
	if err != nil {
		return err
	}
	if !same {
		return fmt.Errorf("sacct: %s:%d: other columns than those of the dumps before: convert each dump of its own", d.name, d.line)
	}
	return c.job(values, j)
}

// begin writes the header for jobs that have some columns, unless it is written, and reports whether it is theirs.
func (c *Copy) begin(has func(column) bool) (same bool, err error) {
	var there []column
	for i := range copied {
		one := copied[i].column
		secret := one == colFolder || one == colSubmitLine || one == colUID && has(colUser)
		if has(one) && (!c.Anonymous || !secret) {
			there = append(there, one)
		}
	}
	if c.columns != nil {
		return slices.Equal(there, c.columns), nil
	}
	c.columns = there
	for i := range copied {
		if slices.Contains(there, copied[i].column) {
			c.add([]byte(copied[i].name))
		}
	}
	return true, c.end()
}

// job writes a job, with its times and, if it is to be anonymous, without names.
func (c *Copy) job(values *[columns][]byte, j *accounting.Job) error {
	for _, one := range c.columns {
		cell := values[one]
		switch one { //nolint:exhaustive // the others are as the dump has them
		case colID:
			cell = listTasks(cell)
		case colSubmit:
			cell = moment(j.Submit)
		case colEligible:
			cell = moment(j.Eligible)
		case colStart:
			cell = moment(j.Start)
		case colEnd:
			cell = moment(j.End)
		case colUser:
			if len(cell) == 0 { // nothing but the uid tells who it is
				cell = values[colUID]
			}
			cell = c.name(&c.users, "user", cell)
		case colUID:
			cell = c.name(&c.users, "user", cell)
		case colReservation:
			if some(cell) {
				cell = c.name(&c.reservations, "reservation", cell)
			}
		case colState:
			if c.Anonymous { // without who cancelled it
				cell, _, _ = bytes.Cut(cell, []byte{' '})
			}
		case colAccount:
			cell = c.name(&c.accounts, "account", cell)
		case colName:
			if c.Anonymous {
				cell = c.letters(j.NameClass)
			}
		}
		c.add(cell)
	}
	return c.end()
}

func (d *dump) has(c column, values *[columns][]byte) bool {
	switch {
	case d.tree != nil:
		return jsonColumns[c]
	case d.header != nil:
		return d.header.at[c] >= 0
	}
	return values[c] != nil
}

// moment returns a time as a copy has it.
func moment(t ostrich.Time) []byte {
	if t == 0 {
		return []byte("Unknown")
	}
	return time.Unix(int64(t), 0).UTC().AppendFormat(nil, time.RFC3339)
}

func (c *Copy) name(known *map[string]string, prefix string, name []byte) []byte {
	if !c.Anonymous || len(name) == 0 {
		return name
	}
	if *known == nil {
		*known = make(map[string]string)
	}
	if _, is := (*known)[string(name)]; !is {
		(*known)[string(name)] = prefix + strconv.Itoa(len(*known)+1)
	}
	return []byte((*known)[string(name)])
}

// letters returns the name of jobs of a class, without digits, which are noise in a name.
func (c *Copy) letters(class uint64) []byte {
	if class == 0 {
		return nil
	}
	if c.names == nil {
		c.names = make(map[uint64]string)
	}
	if _, is := c.names[class]; !is {
		text := []byte("job-")
		for n := len(c.names); n >= 0; n = n/26 - 1 {
			text = append(text, byte('a'+n%26))
		}
		c.names[class] = string(text)
	}
	return []byte(c.names[class])
}

func (c *Copy) add(cell []byte) {
	from := len(c.line)
	c.line = append(append(c.line, cell...), '\t')
	for i := from; i < len(c.line)-1; i++ {
		if b := c.line[i]; b == '\t' || b == '\n' || b == '\r' {
			c.line[i] = ' '
		}
	}
}

func (c *Copy) end() error {
	c.line[len(c.line)-1] = '\n'
	_, err := c.To.Write(c.line)
	c.line = c.line[:0]
	return err
}
