package accounting

import (
	"bytes"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/internal/lines"
)

// Said is what a user says in a job's comment.
type Said struct {
	Hint     ostrich.Duration // how long the job will run; 0 if it does not say
	Campaign string           // the campaign that the job belongs to; "" if it does not say
}

// MaxComment is how many bytes of a comment are read. A word that does not end within
// them is ignored.
const MaxComment = 1024

// MaxCampaign is the longest name of a campaign, in bytes.
const MaxCampaign = 64

// maxHint is the longest hint, ten years.
const maxHint = 10 * 365 * 86400

// ReadComment reads the comment that a user gave a job (sbatch --comment). The
// comment is split at commas, and two words of it count:
//
//	expect=TIME     the job will run for TIME: minutes, minutes:seconds,
//	                hours:minutes:seconds, days-hours, days-hours:minutes or
//	                days-hours:minutes:seconds, as sbatch --time has it, or
//	                numbers with units, such as 90s, 5m, 2h, 1h30m and 2d
//	campaign:NAME   the job belongs to the campaign NAME, see CampaignName
//
// Spaces around a word are dropped. If a word comes twice, the first one counts. Only
// words within the first MaxComment bytes count.
// All other words, malformed ones too, belong to the user and are ignored: a
// comment is never an error.
func ReadComment(comment []byte) Said {
	var s Said
	if len(comment) > MaxComment {
		whole := bytes.LastIndexByte(comment[:MaxComment+1], ',')
		comment = comment[:max(0, whole)]
	}
	for len(comment) > 0 {
		var word []byte
		word, comment, _ = bytes.Cut(comment, []byte{','})
		word = bytes.TrimSpace(word)
		if v, ok := bytes.CutPrefix(word, []byte("expect=")); ok && s.Hint == 0 {
			s.Hint = readHint(v)
		} else if v, ok := bytes.CutPrefix(word, []byte("campaign:")); ok && s.Campaign == "" {
			s.Campaign = CampaignName(v)
		}
	}
	return s
}

// CampaignName returns the name of a declared campaign, or "" if the text is not
// one: a name has 1 to 64 printable ASCII characters without spaces and commas.
func CampaignName(text []byte) string {
	if len(text) > MaxCampaign {
		return ""
	}
	for _, c := range text {
		if c <= ' ' || c > '~' || c == ',' {
			return ""
		}
	}
	return string(text)
}

// CampaignOfName returns the campaign that the name of a job declares: the part
// before its first colon, or "".
func CampaignOfName(name []byte) string {
	if campaign, _, ok := bytes.Cut(name, []byte{':'}); ok {
		return CampaignName(campaign)
	}
	return ""
}

// CampaignOfWCKey returns the campaign that a WCKey declares. Slurm stores a
// user's default WCKey with an asterisk: it declares nothing.
func CampaignOfWCKey(wckey []byte) string {
	if bytes.HasPrefix(wckey, []byte{'*'}) {
		return ""
	}
	return CampaignName(wckey)
}

// readHint reads a length of time in either form; 0 if it is malformed.
func readHint(b []byte) ostrich.Duration {
	d, ok := readUnits(b)
	if !ok {
		d, ok = ReadTime(b)
	}
	if !ok || d > maxHint {
		return 0
	}
	return ostrich.Duration(d)
}

// hintUnits are the units of time, the largest first.
const hintUnits = "dhms"

var hintSeconds = [...]int64{86400, 3600, 60, 1}

// readUnits reads "1h30m". Larger units come first.
func readUnits(b []byte) (seconds int64, ok bool) {
	next := 0 // the largest unit that may follow
	for len(b) > 0 {
		at := bytes.IndexAny(b, hintUnits)
		if at < 0 {
			return 0, false
		}
		n, number := lines.Digits(b[:at])
		unit := bytes.IndexByte([]byte(hintUnits), b[at])
		if !number || n > maxHint || unit < next {
			return 0, false
		}
		seconds += n * hintSeconds[unit]
		next, b = unit+1, b[at+1:]
		ok = true
	}
	return seconds, ok
}

// ReadTime reads a length of time as sbatch --time does: minutes, minutes:seconds,
// hours:minutes:seconds, and days-hours with or without minutes and seconds. None
// of its numbers may have more than 9 digits.
func ReadTime(b []byte) (seconds int64, ok bool) {
	days, parts, n, digits := int64(-1), 0, int64(0), 0
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9':
			n = 10*n + int64(c-'0')
			if digits++; n >= 1e9 || digits > 18 {
				return 0, false
			}
			continue
		case digits == 0:
			return 0, false
		case c == ':' && parts < 2:
			seconds = 60*seconds + n
			parts++
		case c == '-' && days < 0 && parts == 0:
			days = n
		default:
			return 0, false
		}
		n, digits = 0, 0
	}
	seconds = 60*seconds + n
	if days < 0 {
		if parts == 0 {
			seconds *= 60
		}
		return seconds, digits > 0
	}
	for ; parts < 2; parts++ {
		seconds *= 60
	}
	return days*86400 + seconds, digits > 0
}
