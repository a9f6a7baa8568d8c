package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// Period is a length of time before today of which "ostrich compare --nightly" compares
// what happened with what would have happened.
type Period struct {
	Name string
	Days int
}

// Periods lists them. FOLDER has the files NAME.json, what "ostrich compare --json"
// writes, and NAME.html, its page.
var Periods = []Period{{"day", 1}, {"week", 7}}

// Night is what is known of the comparison that was made last of a period.
type Night struct {
	Period  string       `json:"period"`
	Made    ostrich.Time `json:"made"` // when it was written, on this host's clock
	From    ostrich.Time `json:"from"` // of the window
	To      ostrich.Time `json:"to"`
	Verdict []string     `json:"verdict"` // names users; empty for a viewer from whom Slurm hides any

	Baseline string   `json:"baseline"` // name of the run that others are compared with
	Changes  []Change `json:"changes"`  // one for each other run

	Page string `json:"-"` // file; "": there is none, or the viewer may not see it
}

// Change is how far the mean stretch per user is from that of the baseline.
type Change struct {
	Run        string           `json:"run"`
	Measure    string           `json:"measure"`
	Baseline   float64          `json:"baseline"`
	Value      float64          `json:"value"`
	Difference float64          `json:"difference"`
	Interval   *report.Interval `json:"interval"` // null: too few users
}

// userMean is the measure of a Change.
const userMean = "user_mean_stretch"

// Folder returns where the comparisons of a daemon are: in the folder of the journal's name and
// .compare if there is one, as several daemons may have their journals side by side, and else in
// that with the name compare beside the journal. "" is nowhere, as there is no journal.
func Folder(journal string) string {
	if journal == "" {
		return ""
	}
	own := journal + ".compare"
	if info, err := os.Stat(own); err == nil && info.IsDir() {
		return own
	}
	return filepath.Join(filepath.Dir(journal), "compare")
}

// Nights reads the comparisons of a folder, each once.
type Nights struct {
	folder string
	files  []nightFile // by period
	said   string      // the error that Read has returned last
}

// nightFile is a file as it was read last. The info is nil if there was none.
type nightFile struct {
	info  fs.FileInfo
	night *Night // nil if it cannot be read
	err   error
}

// Read returns what there is in a folder, in the order of the periods. A file that has
// not changed is not read again, and an error is returned once: not again while it stays
// the same. What cannot be read is left out. In the folder "" there is nothing.
func (n *Nights) Read(folder string) ([]Night, error) {
	if n.folder != folder || n.files == nil {
		*n = Nights{folder: folder, files: make([]nightFile, len(Periods)), said: n.said}
	}
	list, errs := []Night{}, []error{}
	if folder == "" {
		return list, nil
	}
	for i, p := range Periods {
		f := &n.files[i]
		f.refresh(filepath.Join(folder, p.Name), p.Name)
		if f.night != nil {
			list = append(list, *f.night)
		}
		errs = append(errs, f.err)
	}
	err, said := errors.Join(errs...), ""
	if err != nil {
		said = err.Error()
	}
	if n.said == said {
		return list, nil
	}
	n.said = said
	return list, err
}

// refresh reads a file again if it is another one than before.
func (f *nightFile) refresh(path, period string) {
	info, err := os.Stat(path + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		*f = nightFile{}
		return
	}
	if err == nil && f.info != nil && f.err == nil && os.SameFile(f.info, info) && f.info.ModTime().Equal(info.ModTime()) && f.info.Size() == info.Size() {
		return
	}
	*f = nightFile{info: info, err: err}
	if err == nil {
		f.night, f.err = readNight(path+".json", info)
	}
	switch {
	case f.err != nil:
		f.err = fmt.Errorf("the nightly comparison of the last %s: %w", period, f.err)
	default:
		f.night.Period, f.night.Page = period, path+".html"
	}
}

// readNight reads what "ostrich compare --json" has written.
func readNight(path string, info fs.FileInfo) (*Night, error) {
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", path)
	case info.Size() > MostBytes:
		return nil, fmt.Errorf("%s has %d bytes, more than %d", path, info.Size(), MostBytes)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(file, MostBytes))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	is := struct {
		Night
		Unix    bool            `json:"unix"`
		Changes json.RawMessage `json:"changes"` // in words, and not what a Night has
		All     []Change        `json:"differences"`
	}{}
	if err = json.Unmarshal(raw, &is); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	night := &is.Night
	night.Made = ostrich.Time(info.ModTime().Unix())
	night.Changes = slices.DeleteFunc(is.All, func(c Change) bool { return c.Measure != userMean })
	if !is.Unix || night.To <= night.From || len(night.Verdict) == 0 || len(night.Changes) == 0 {
		return nil, fmt.Errorf("%s is no comparison of a site's jobs, as ostrich compare --json writes it", path)
	}
	return night, nil
}

// Open opens the page, and says when it was made.
func (n *Night) Open() (*os.File, time.Time, error) {
	info, err := os.Stat(n.Page)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > MostBytes) {
		err = fmt.Errorf("%s is no file, or has more than %d bytes", n.Page, MostBytes)
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	f, err := os.Open(n.Page)
	return f, info.ModTime(), err
}

// Seen returns the comparisons as a viewer may see them. Verdict and page name users, and
// are about jobs that have ended; so may the name of a run of --what-if share:USER=N.
func Seen(nights []Night, v *view.Viewer) []Night {
	if v.Jobs && v.Shares && v.Ended {
		return nights
	}
	seen := slices.Clone(nights)
	for i := range seen {
		seen[i].Verdict, seen[i].Page = []string{}, ""
		seen[i].Changes = Nameless(seen[i].Changes)
	}
	return seen
}

// Nameless returns the changes whose run has no user or account in its name.
func Nameless(changes []Change) []Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return strings.Contains(c.Run, "share:") })
}

// NoNight says that nothing has been compared, and what to do.
const NoNight = "No comparison has been made by night of what OStrich would have changed; " +
	`"systemctl enable --now ostrich-compare.timer" on the daemon's host has one made of each day and week.`

// nightsTable shows the comparisons.
func nightsTable(nights []Night) format.Table {
	t := format.Table{
		Title:  "Mean stretch per user, replayed by night",
		Header: []string{"PERIOD", "MADE", "FROM", "TO", "RUN", "STRETCH", "BASELINE", "DIFFERENCE", "INTERVAL"},
	}
	for _, n := range nights {
		for _, c := range n.Changes {
			t.Add(n.Period, format.Moment(float64(n.Made)), format.Moment(float64(n.From)), format.Moment(float64(n.To)), c.Run,
				fmt.Sprintf("%.2f", c.Value), fmt.Sprintf("%.2f", c.Baseline), fmt.Sprintf("%+.2f", c.Difference), c.Between())
		}
	}
	return t
}

// Between returns the interval in words, "" without one.
func (c *Change) Between() string {
	if c.Interval == nil {
		return ""
	}
	return fmt.Sprintf("%+.2f to %+.2f", c.Interval.Low, c.Interval.High)
}
