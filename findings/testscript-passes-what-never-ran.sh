#!/usr/bin/env bash
# Version: github.com/rogpeppe/go-internal v1.16.0, package testscript.
# Guess: a script fails where a command of it does: one in the background at the latest when the script ends. "! exec prog" wants
#   prog to run and to end with an error; a program that is not there fails it. "exec a | b" is refused, as there is no shell.
# Seen: what runs in the background is looked at by "wait" alone: without it "exec false &" and "! exec true &" both pass. "! exec"
#   of a program that is not there, as of one that is mistyped, passes. A pipe is two more arguments, so "exec echo one | cat"
#   prints "one | cat", and whoever looks for "one" finds it. A script without commands passes.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >script_test.go <<-'END'
	package finding

	import (
		"testing"

		"github.com/rogpeppe/go-internal/testscript"
	)

	func TestScripts(t *testing.T) { testscript.Run(t, testscript.Params{Dir: "scripts"}) }
END
mkdir scripts
script() { printf '%s\n' "${@:2}" >"scripts/$1.txtar"; }
script background-fails 'exec false &'
script background-fails-with-wait 'exec false &' wait
script background-succeeds '! exec true &'
script background-succeeds-with-wait '! exec true &' wait
script fails 'exec false'
script files-alone '-- want --' 'text'
script mistyped '! exec tru'
script pipe 'exec echo one | cat' 'stdout one'
script pipe-exactly 'exec echo one | cat' 'stdout ^one$'
go mod init finding 2>/dev/null
go get github.com/rogpeppe/go-internal@v1.16.0 2>said || { echo "github.com/rogpeppe/go-internal@v1.16.0 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
go mod tidy 2>said
seen=$({ go test -count=1 -v . || true; } | sed -nE 's/^ +--- (PASS|FAIL): TestScripts\/([a-z-]+) .*/\2: \1/p' | sort)
wanted='background-fails-with-wait: FAIL
background-fails: PASS
background-succeeds-with-wait: FAIL
background-succeeds: PASS
fails: FAIL
files-alone: PASS
mistyped: PASS
pipe-exactly: FAIL
pipe: PASS'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
