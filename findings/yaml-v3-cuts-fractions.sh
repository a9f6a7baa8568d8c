#!/usr/bin/env bash
# Version: go.yaml.in/yaml/v3 v3.0.6 (gopkg.in/yaml.v3 before).
# Guess: a number with a fraction is refused where the Go field is an int, as encoding/json does; below zero where it is
#   a uint. 010 is 10, as YAML 1.2 has it and as 08 is 8.
# Seen: 2.7 becomes 2 and -0.5 becomes 0, in a uint too, without a word: "nodes: 0.9" is none. 010 is 8, and 08 and 09 are
#   8 and 9, as what is not octal is read as a float and cut. "2.7" in quotes is refused, and 5 for a time.Duration.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >main.go <<-'END'
	package main

	import (
		"encoding/json"
		"fmt"
		"time"

		"go.yaml.in/yaml/v3"
	)

	// read returns what became of a text in a variable of type T.
	func read[T any](unmarshal func([]byte, any) error, text string) string {
		var v T
		if unmarshal([]byte(text), &v) != nil {
			return "refused"
		}
		return fmt.Sprint(v)
	}

	func main() {
		for _, text := range []string{"2.7", "-0.5", "1e3", "010", "08", `"2.7"`, "5"} {
			fmt.Printf("%s: int %s, uint %s, duration %s, JSON's int %s\n", text, read[int](yaml.Unmarshal, text),
				read[uint](yaml.Unmarshal, text), read[time.Duration](yaml.Unmarshal, text), read[int](json.Unmarshal, text))
		}
	}
END
go mod init fractions 2>/dev/null
go get go.yaml.in/yaml/v3@v3.0.6 2>said || { echo "go.yaml.in/yaml/v3@v3.0.6 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
seen=$(go run .)
wanted='2.7: int 2, uint 2, duration refused, JSON'\''s int refused
-0.5: int 0, uint 0, duration refused, JSON'\''s int refused
1e3: int 1000, uint 1000, duration refused, JSON'\''s int refused
010: int 8, uint 8, duration refused, JSON'\''s int refused
08: int 8, uint 8, duration refused, JSON'\''s int refused
"2.7": int refused, uint refused, duration refused, JSON'\''s int refused
5: int 5, uint 5, duration refused, JSON'\''s int 5'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
