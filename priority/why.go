package priority

import "strings"

// Why is the reason of an entry or of a change: why a job stands where it stands, or is
// left alone, or why its value is written. Code branches on Code alone; the sentence is
// for people, and may change. The zero value is no reason.
type Why struct {
	Code  Code
	About string // what the sentence names: a reservation, Slurm's own reason or words, what is excluded; "" for most
	Note  string // a remark at the end of the sentence; "" for none
}

// Code names a reason, as JSON, metrics and the journal have it.
type Code string

// The reasons of jobs that are ordered.
const (
	InOrder      Code = "campaign_order"
	WithinMargin Code = "within_margin"
	BeyondDepth  Code = "beyond_depth"
	SharesRank   Code = "shares_rank"

	// Those that cannot start, by Wait.
	AtLimit        Code = "at_limit"
	AsksForTaken   Code = "asks_for_taken"
	AsksImpossible Code = "asks_impossible"
	BeginsLater    Code = "begins_later"
	Depends        Code = "depends"
	IsHeld         Code = "held"
)

// The reasons of jobs that are left alone.
const (
	IsPinned    Code = "pinned"
	Reserved    Code = "in_reservation"
	Excluded    Code = "excluded"
	NotIncluded Code = "not_included"
	NoPool      Code = "no_pool"
	NotEligible Code = "not_eligible"
	OwnNice     Code = "own_nice"
	Scattered   Code = "scattered_array"
	NotListed   Code = "no_priority_yet"   // it could start, and sprio does not list it yet: it has been submitted or queued again in this moment
	Unheard     Code = "not_in_accounting" // accounting does not have it yet
	InvalidRow  Code = "invalid_row"       // accounting has it, with a row that cannot be
	WasRefused  Code = "refused"           // Slurm refused to change it, see Options.Alone
	OtherWriter Code = "other_writer"      // another writer changed our value
	Foreign     Code = "foreign"           // it has somebody else's value
)

// The reasons of writes that are not made for the order's sake, or not made.
const (
	WasUndone   Code = "undone"
	UndoneAgain Code = "undone_again"
	TakenBack   Code = "taken_back"
	FromReset   Code = "reset"
)

// sentences are those of the codes; About stands where the mark is.
var sentences = map[Code]string{
	InOrder: "campaign order", WithinMargin: "campaign order, within the margin",
	BeyondDepth: "beyond the depth Slurm looks at", SharesRank: "shares a rank: the weights leave few",

	AtLimit: "waits for a limit (%)", AsksForTaken: "asks for what is not free (%)", AsksImpossible: "asks for the impossible (%)",
	BeginsLater: "begins later (%)", Depends: "depends on another job (%)", IsHeld: "held",

	IsPinned: "pinned by an administrator", Reserved: "in reservation %", Excluded: "excluded %", NotIncluded: "% not included",
	NoPool: "its partition is in no pool", NotEligible: "not eligible (%)", OwnNice: "nice value of the owner's own",
	Scattered: "array with tasks apart, too scattered to name the others", NotListed: "Slurm has not computed its priority yet",
	Unheard: "not yet in accounting", InvalidRow: "accounting row left out: %", WasRefused: "refused by Slurm: %",
	OtherWriter: "another writer gave it %", Foreign: "SiteFactor % is somebody else's (takeover is off)",

	WasUndone: "undone by the backfill scheduler", UndoneAgain: "undone by the backfill scheduler again and again; not written for some minutes",
	TakenBack: "taken back: %", FromReset: "reset",
}

// String returns the sentence.
func (w Why) String() string {
	text := strings.Replace(sentences[w.Code], "%", w.About, 1)
	if w.Note != "" {
		text += "; " + w.Note
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
