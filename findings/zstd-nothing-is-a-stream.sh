#!/usr/bin/env bash
# Versions: github.com/klauspost/compress v1.20.4, zstd 1.5.4+dfsg2-5+deb12u1 and lz4 1.9.4-1 (Debian 12).
# Guess: a compressed file without a byte, as a full disk or a killed writer leaves it, is an error to whatever reads it: even
#   nothing, compressed, has a header.
# Seen: zstd of this package reads nothing and no error from it, and so does its s2, so a log that is gone is a log without jobs;
#   its gzip says EOF, and "zstd -d" "unexpected end of file". "lz4 -d" is content too, with exit code 0. A line
#   break alone is an error to each. What is compressed of nothing by this package has 13 bytes, so nothing is never right.
# Ends with 0 if that is still so, 1 if not, 2 if the module cannot be fetched.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download zstd=1.5.4+dfsg2-5+deb12u1 lz4=1.9.4-1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
cat >main.go <<-'END'
	package main

	import (
		"bytes"
		"fmt"
		"io"

		"github.com/klauspost/compress/gzip"
		"github.com/klauspost/compress/s2"
		"github.com/klauspost/compress/zstd"
	)

	func read(r io.Reader, err error) string {
		if err != nil {
			return err.Error()
		}
		all, err := io.ReadAll(r)
		return fmt.Sprint(len(all), " bytes, ", err)
	}

	func main() {
		for _, b := range []string{"", "\n"} {
			z, err := zstd.NewReader(bytes.NewBufferString(b))
			fmt.Printf("zstd of %q: %s\n", b, read(z, err))
			fmt.Printf("s2 of %q: %s\n", b, read(s2.NewReader(bytes.NewBufferString(b)), nil))
			g, err := gzip.NewReader(bytes.NewBufferString(b))
			fmt.Printf("gzip of %q: %s\n", b, read(g, err))
		}
		var out bytes.Buffer
		w, _ := zstd.NewWriter(&out)
		w.Close()
		fmt.Println("zstd has written of nothing:", out.Len(), "bytes")
	}
END
go mod init finding 2>/dev/null
go get github.com/klauspost/compress@v1.20.4 2>said || { echo "github.com/klauspost/compress@v1.20.4 could not be fetched: $(tail -n 1 said)" >&2; exit 2; }
code() {
	local code=0
	PATH=$PWD/root/usr/bin:$PATH "$@" >out 2>said || code=$?
	echo "$*: exit $code, $(wc -c <out) bytes"
}
: >empty
printf '\n' >byte
seen="$(go run .)
$(code zstd -dc empty)
$(code lz4 -dc empty)
$(code zstd -dc byte)
$(code lz4 -dc byte)"
wanted='zstd of "": 0 bytes, <nil>
s2 of "": 0 bytes, <nil>
gzip of "": EOF
zstd of "\n": 0 bytes, unexpected EOF
s2 of "\n": 0 bytes, s2: corrupt input
gzip of "\n": unexpected EOF
zstd has written of nothing: 13 bytes
zstd -dc empty: exit 1, 0 bytes
lz4 -dc empty: exit 0, 0 bytes
zstd -dc byte: exit 1, 0 bytes
lz4 -dc byte: exit 40, 0 bytes'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
