package tools

// Normal returns the normal form of a text: without what differs from run to run. That are
// UUIDs, hexadecimal numbers of 6 digits and more, and all other digits, with which times and
// counts go.
func Normal(text []byte) string {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if n := uuid(text, i); n > 0 {
			i += n
			continue
		}
		c := text[i]
		if !letterOrDigit(c) {
			out = append(out, c)
			i++
			continue
		}
		end := i
		for end < len(text) && letterOrDigit(text[end]) {
			end++
		}
		if word := text[i:end]; !hexadecimal(word) {
			for _, c := range word {
				if c < '0' || c > '9' {
					out = append(out, c)
				}
			}
		}
		i = end
	}
	return string(out)
}

func letterOrDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func hexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// uuid returns the length of the UUID that begins at a place, or 0.
func uuid(text []byte, at int) int {
	const length = 36
	if len(text)-at < length || at > 0 && letterOrDigit(text[at-1]) {
		return 0
	}
	for i, c := range text[at : at+length] {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !hexDigit(c) {
			return 0
		}
	}
	if end := at + length; end < len(text) && letterOrDigit(text[end]) {
		return 0
	}
	return length
}

// hexadecimal reports whether a word is a hexadecimal number and no name with a number in it:
// letters and digits alternate in it at least twice ("a1b2c3d" but not "abc123"), or there are
// 16 or more of them.
func hexadecimal(word []byte) bool {
	if len(word) < 6 {
		return false
	}
	digits, changes := 0, 0
	for i, c := range word {
		if !hexDigit(c) {
			return false
		}
		digit := c <= '9'
		if digit {
			digits++
		}
		if i > 0 && digit != (word[i-1] <= '9') {
			changes++
		}
	}
	return digits > 0 && (changes >= 2 || len(word) >= 16)
}
