package priority

import (
	"slices"
	"strings"
)

// Why is the reason of an entry or of a change: why a job stands where it stands, or is
// left alone, or why its value is written. Code branches on Code alone; the sentence is
// for people, and may change. The zero value is no reason.
type Why struct {
	Code    Code
	ByQueue bool   // accounting does not have the job yet, which is ordered by what the queue says of it
	About   string // what the sentence names: a reservation, Slurm's own reason or words, what is excluded; "" for most
}

// Code is a reason. It is written by its name, in JSON, metrics and the journal.
type Code uint8

// The reasons; codes has their names and sentences.
const (
	_ Code = iota // no reason

	// Of jobs that are ordered; those that cannot start, by Wait.

	InOrder
	WithinMargin
	BeyondDepth
	SharesRank
	AtLimit
	AsksForTaken
	AsksImpossible
	BeginsLater
	Depends
	IsHeld

	// Of jobs that are left alone.

	IsPinned
	Reserved
	Excluded
	NotIncluded
	NoPool
	NotEligible
	OwnNice
	Scattered
	NotListed   // it could start, and sprio does not list it yet: it has been submitted or queued again in this moment
	Unheard     // accounting does not have it yet
	InvalidRow  // accounting has it, with a row that cannot be
	WasRefused  // Slurm refused to change it, see Options.Alone
	OtherWriter // another writer changed our value
	Foreign     // it has somebody else's value

	// Of writes that are not made for the order's sake, or not made.

	WasUndone
	UndoneAgain
	TakenBack
	FromReset
)

// codes are the names and the sentences of the reasons, in the order of their constants.
// What a reason is about stands where the mark is.
var codes = [...]struct{ name, sentence string }{
	{},
	{"campaign_order", "campaign order"},
	{"within_margin", "campaign order, within the margin"},
	{"beyond_depth", "beyond the depth Slurm looks at"},
	{"shares_rank", "shares a rank: the weights leave few"},
	{"at_limit", "waits for a limit (%)"},
	{"asks_for_taken", "asks for what is not free (%)"},
	{"asks_impossible", "asks for the impossible (%)"},
	{"begins_later", "begins later (%)"},
	{"depends", "depends on another job (%)"},
	{"held", "held"},
	{"pinned", "pinned by an administrator"},
	{"in_reservation", "in reservation %"},
	{"excluded", "excluded %"},
	{"not_included", "% not included"},
	{"no_pool", "its partition is in no pool"},
	{"not_eligible", "not eligible (%)"},
	{"own_nice", "nice value of the owner's own"},
	{"scattered_array", "array with tasks apart, too scattered to name the others"},
	{"no_priority_yet", "Slurm has not computed its priority yet"},
	{"not_in_accounting", "not yet in accounting"},
	{"invalid_row", "accounting row left out: %"},
	{"refused", "refused by Slurm: %"},
	{"other_writer", "another writer gave it %"},
	{"foreign", "SiteFactor %"},
	{"undone", "undone by the backfill scheduler"},
	{"undone_again", "undone by the backfill scheduler again and again; not written for some minutes"},
	{"taken_back", "taken back: %"},
	{"reset", "reset"},
}

// String returns the name of a code; "" of none.
func (c Code) String() string { return codes[c].name }

// MarshalText writes the name.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a name. One that is not known, as of a later release, is no reason.
func (c *Code) UnmarshalText(text []byte) error {
	*c = Code(max(0, slices.IndexFunc(codes[:], func(o struct{ name, sentence string }) bool { return o.name == string(text) })))
	return nil
}

// String returns the sentence.
func (w Why) String() string {
	text := strings.Replace(codes[w.Code].sentence, "%", w.About, 1)
	if w.ByQueue {
		text += "; " + codes[Unheard].sentence
	}
	return text
}

// waitCodes are the reasons of jobs that cannot start, by Wait.
var waitCodes = [...]Code{InOrder, AtLimit, AsksForTaken, AsksImpossible, BeginsLater, Depends, IsHeld}

// whyWaits returns the reason of an ordered job: why it cannot start, or its place.
func whyWaits(wait Wait, of string) Why {
	if wait == Able {
		return Why{Code: InOrder}
	}
	return Why{Code: waitCodes[wait], About: of}
}
