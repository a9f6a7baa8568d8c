package accounting

import "unicode/utf8"

// NameClass returns the ostrich.Job.Class of a job by its name: a hash (FNV-1a)
// of the name without its digits, so that run-17 and run-18 are alike. The name
// need not be UTF-8. Without a name the class is 0. The values are the same in
// every run of the program.
func NameClass(name []byte) uint64 {
	if len(name) == 0 {
		return 0
	}
	h := uint64(fnvOffset)
	for _, c := range name {
		if c < '0' || c > '9' {
			h = (h ^ uint64(c)) * fnvPrime
		}
	}
	return max(h, 1)
}

// maxName is how many bytes of a job's name accounting keeps.
const maxName = 255

// StoredName returns what accounting keeps of a job's name, of which squeue shows more: a
// character is kept whole or not at all, whether the database counts bytes or characters at
// the end.
func StoredName(name []byte) []byte {
	if len(name) < maxName-utf8.UTFMax {
		return name
	}
	name = name[:min(len(name), maxName)]
	for back := 1; back < utf8.UTFMax; back++ {
		if at := len(name) - back; utf8.RuneStart(name[at]) {
			if !utf8.FullRune(name[at:]) {
				name = name[:at]
			}
			break
		}
	}
	return name
}

// TextHash is a hash (FNV-1a) of a text: the same in every run of the program.
func TextHash(text []byte) uint64 {
	h := uint64(fnvOffset)
	for _, c := range text {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}

// ScriptClass returns the class of a job by its script: a hash of the number that
// Slurm gives each different script (script_hash_inx), 0 for none. The hash begins with
// a zero byte, which no job's name holds, so it equals a NameClass only by chance.
func ScriptClass(script uint64) uint64 {
	if script == 0 {
		return 0
	}
	h := uint64(fnvOffset)
	h *= fnvPrime // the hash of a zero byte
	for range 8 {
		h = (h ^ script&0xff) * fnvPrime
		script >>= 8
	}
	return max(h, 1)
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)
