package configuration

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/priority"
)

type text struct{ at *string }

func (v text) String() string     { return *v.at }
func (v text) Set(s string) error { *v.at = s; return nil }

// Choice is one of several words. set and show say which of them it is, by its place.
type Choice struct {
	of   []string
	show func() string
	set  func(place int)
}

// NewChoice returns a choice of words. set and show say which of them it is, by its place.
func NewChoice(of []string, show func() string, set func(place int)) Choice {
	return Choice{of, show, set}
}

func oneOf[T ~string](at *T, of ...T) Choice {
	return Choice{
		of:   format.Texts(of, func(t T) string { return string(t) }),
		show: func() string { return string(*at) },
		set:  func(place int) { *at = of[place] },
	}
}

// byName returns a Choice of constants; names are theirs, from 0 on. Those in but cannot be
// chosen.
func byName[T interface {
	~uint8
	fmt.Stringer
}](at *T, names []string, but ...T) Choice {
	var all []T
	var of []string
	for i, name := range names {
		if !slices.Contains(but, T(i)) {
			all, of = append(all, T(i)), append(of, name)
		}
	}
	return Choice{
		of:   of,
		show: func() string { return (*at).String() },
		set:  func(place int) { *at = all[place] },
	}
}

func (v Choice) String() string { return v.show() }

// Names returns the words, for completion.
func (v Choice) Names() []string { return v.of }

// Set chooses the word s. It fails where s is none of the words.
func (v Choice) Set(s string) error {
	place := slices.Index(v.of, s)
	if place < 0 {
		return fmt.Errorf("%q is none of %s", s, strings.Join(v.of, ", "))
	}
	v.set(place)
	return nil
}

// truth is true or false. Its flag may stand without a value.
type truth struct{ at *bool }

func (v truth) String() string { return strconv.FormatBool(*v.at) }
func (v truth) Set(s string) error {
	switch s {
	case "true":
		*v.at = true
	case "false":
		*v.at = false
	default:
		return fmt.Errorf("%q is neither true nor false", s)
	}
	return nil
}

// accepted is the wait that users accept. People are shown it if it is set: empty is the
// median, for what is measured.
type accepted struct {
	at    *satisfaction.Acceptance
	shown *bool
}

func (v accepted) String() string {
	if !*v.shown {
		return ""
	}
	return v.at.String()
}

func (v accepted) Set(s string) error {
	a, err := satisfaction.Median, error(nil)
	if s != "" {
		a, err = satisfaction.Parse(s)
	}
	if err == nil {
		*v.at, *v.shown = a, s != ""
	}
	return err
}

// rule is a rule by which campaigns are detected.
type rule struct{ at *campaign.Rule }

func (v rule) Names() []string { return campaign.ByNames }

func (v rule) String() string {
	if !v.at.By.Timed() {
		return v.at.By.String()
	}
	return v.at.By.String() + "=" + FormatSpan(time.Duration(v.at.Threshold)*time.Second)
}

func (v rule) Set(s string) error {
	r, err := ParseRule(s)
	if err == nil {
		*v.at = r
	}
	return err
}

// ParseRule reads max, last, arrival=TIME or window=TIME, whose TIME is half an hour
// unless it is named.
func ParseRule(s string) (campaign.Rule, error) {
	name, text, named := strings.Cut(s, "=")
	r := campaign.Rule{Threshold: 30 * 60}
	if err := byName(&r.By, campaign.ByNames).Set(name); err != nil {
		return r, err
	}
	d := time.Duration(r.Threshold) * time.Second
	switch {
	case named && !r.By.Timed():
		return r, fmt.Errorf("%s takes no time", name)
	case named:
		if err := (span{&d, time.Second}).Set(text); err != nil {
			return r, err
		}
	case !r.By.Timed():
		d = 0
	}
	r.Threshold = Seconds(d)
	return r, r.Validate()
}

// mode is how far the order counts, with the priority points of mode weight.
type mode struct {
	at     *priority.Mode
	points *int
}

func (v mode) Names() []string {
	return []string{string(priority.Strict), string(priority.Weight) + "="}
}

func (v mode) String() string {
	if *v.at == priority.Weight {
		return fmt.Sprintf("%s=%d", *v.at, *v.points)
	}
	return string(*v.at)
}

func (v mode) Set(s string) error {
	name, text, _ := strings.Cut(s, "=")
	n := 0
	switch {
	case s == string(priority.Strict):
	case name != string(priority.Weight):
		return fmt.Errorf("%q is neither strict nor weight=N", s)
	case (number{&n}).Set(text) != nil || n == 0:
		return fmt.Errorf("%q: weight needs its priority points, from 1 to %d, as in weight=5000", s, math.MaxInt32)
	}
	*v.at, *v.points = priority.Mode(name), n
	return nil
}

// tls is how the database is reached, or the authority that signed its certificate.
type tls struct{ at, authority *string }

func (v tls) words() Choice { return oneOf(v.at, "off", "preferred", "on", "skip-verify") }

func (v tls) Names() []string { return v.words().Names() }

func (v tls) String() string { return cmp.Or(*v.authority, *v.at) }

func (v tls) Set(s string) error {
	if strings.HasPrefix(s, "/") {
		*v.at, *v.authority = "on", s
		return nil
	}
	if err := v.words().Set(s); err != nil {
		return fmt.Errorf("%w, or the path of a PEM file from / on", err)
	}
	*v.authority = ""
	return nil
}

// number is a whole number that is not negative.
type number struct{ at *int }

func (v number) String() string { return strconv.Itoa(*v.at) }
func (v number) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return fmt.Errorf("%q is not a whole number from 0 to %d", s, math.MaxInt32)
	}
	*v.at = int(n)
	return nil
}

// span is a length of time as Go writes it, and with d for days.
type span struct {
	at    *time.Duration
	least time.Duration
}

func (v span) String() string { return FormatSpan(*v.at) }

// off is a length of 0, or no.
const off = "off"

// offSpan is a length of time, or off, which is also written as 0.
type offSpan struct{ span }

func (v offSpan) String() string {
	if *v.at == 0 {
		return off
	}
	return v.span.String()
}

func (v offSpan) Set(s string) error {
	if d, err := parseSpan(s); s == off || (err == nil && d == 0) {
		*v.at = 0
		return nil
	}
	if err := v.span.Set(s); err != nil {
		return fmt.Errorf("%w; or off", err)
	}
	return nil
}

// wholeSeconds is a length of time in whole seconds, which is read and written as another value.
type wholeSeconds struct {
	at *ostrich.Duration
	as func(d *time.Duration) Value
}

func (v wholeSeconds) String() string {
	d := time.Duration(*v.at) * time.Second
	return v.as(&d).String()
}

func (v wholeSeconds) Set(s string) error {
	var d time.Duration
	if err := v.as(&d).Set(s); err != nil {
		return err
	}
	if d%time.Second != 0 {
		return fmt.Errorf("%q is not in whole seconds", s)
	}
	*v.at = Seconds(d)
	return nil
}

// NewSpan returns a length of time as settings have it, of at least so much.
func NewSpan(at *time.Duration, least time.Duration) Value { return span{at, least} }

// NewSeconds is [NewSpan] in whole seconds.
func NewSeconds(at *ostrich.Duration, least time.Duration) Value {
	return wholeSeconds{at, func(d *time.Duration) Value { return span{d, least} }}
}

// FormatSpan writes a length of time as settings have it: 90s is 1m30s, and
// whole days are 14d.
func FormatSpan(d time.Duration) string {
	switch {
	case d >= Day && d%Day == 0:
		return fmt.Sprintf("%dd", d/Day)
	case d >= time.Hour && d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d >= time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}

func (v span) Set(s string) error {
	d, err := parseSpan(s)
	if err != nil {
		return fmt.Errorf("%q is not a length of time such as 90s, 10m, 12h or 14d", s)
	}
	if d < v.least {
		return fmt.Errorf("%s is too short; the least is %s", s, v.least)
	}
	*v.at = d
	return nil
}

func parseSpan(s string) (time.Duration, error) {
	days, ok := strings.CutSuffix(s, "d")
	if !ok {
		d, err := time.ParseDuration(s)
		if d < 0 {
			return 0, strconv.ErrRange
		}
		return d, err
	}
	if strings.Trim(days, "0123456789.") != "" {
		return 0, strconv.ErrSyntax
	}
	hours, err := time.ParseDuration(days + "h")
	if hours > mostDays*time.Hour {
		return 0, strconv.ErrRange
	}
	return 24 * hours, err
}

// mostDays is the longest length of time that can be written in days.
const mostDays = 1<<15 - 1

// MomentLayout is how settings write a moment.
const MomentLayout = "2006-01-02T15:04:05"

// instant is a moment of this host's clock; 0 is none.
type instant struct{ at *ostrich.Time }

func (v instant) String() string {
	if *v.at == 0 {
		return ""
	}
	return time.Unix(int64(*v.at), 0).Format(MomentLayout)
}

func (v instant) Set(s string) error {
	if s == "" {
		*v.at = 0
		return nil
	}
	for _, layout := range []string{MomentLayout, "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			if t.Unix() <= 0 {
				return fmt.Errorf("%q is before 1970", s)
			}
			*v.at = ostrich.Time(t.Unix())
			return nil
		}
	}
	return fmt.Errorf("%q is not a date such as 2027-03-01 or 2027-03-01T06:00:00", s)
}

type list struct{ at *[]string }

func (v list) String() string { return strings.Join(*v.at, ",") }
func (v list) Set(s string) error {
	*v.at = nil
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			*v.at = append(*v.at, item)
		}
	}
	return nil
}

type pools struct{ at *[]ostrich.Pool }

func (v pools) String() string {
	return strings.Join(format.Texts(*v.at, func(p ostrich.Pool) string { return p.Name + "=" + strings.Join(p.Partitions, ",") }), ";")
}

func (v pools) Set(s string) error {
	var all []ostrich.Pool
	for item := range strings.SplitSeq(s, ";") {
		if strings.TrimSpace(item) == "" {
			continue
		}
		name, partitions, ok := strings.Cut(item, "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" || strings.Contains(partitions, "=") {
			return fmt.Errorf("%q is not of the form name=partition,partition", item)
		}
		p := ostrich.Pool{Name: name}
		if err := (list{&p.Partitions}).Set(partitions); err != nil {
			return err
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b ostrich.Pool) int { return cmp.Compare(a.Name, b.Name) })
	*v.at = all
	return nil
}

// Auto is the resource that follows from the partitions: billing if one of them has
// TRESBillingWeights, else cpu.
const Auto = "auto"

// resource is a resource by which work is counted.
type resource struct{ at *string }

func (v resource) String() string { return *v.at }

// Names returns the words, for completion.
func (v resource) Names() []string {
	return append([]string{Auto}, slices.DeleteFunc(slices.Clone(accounting.Resources), func(name string) bool { return strings.HasPrefix(name, "gres/") })...)
}

// Set chooses a resource. Case means nothing, but in the type of a GRES.
func (v resource) Set(s string) error {
	kind, name, _ := strings.Cut(s, "/")
	if kind = strings.ToLower(kind); name != "" {
		kind += "/" + name
	}
	if kind != Auto {
		if err := accounting.CanCount(kind); err != nil {
			return fmt.Errorf("%q is none of %s, %s", s, Auto, strings.Join(accounting.Resources, ", "))
		}
	}
	*v.at = kind
	return nil
}
