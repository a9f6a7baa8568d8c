#!/usr/bin/env bash
# Version: datamash 1.7-2 (Debian 12).
# Guess: a sum of whole numbers is a whole number, exact as long as a double, or the long double that datamash computes with,
#   can hold it; the greatest of some numbers is one of them.
# Seen: what is computed is printed with 14 digits: from 100 000 000 000 000 on, the bytes of 91 TiB or so many byte seconds of
#   a small job, sum and max are rounded and have an exponent, 1.2345678901234e+14, and two maxima that differ are the
#   same. "first" and "unique" print the number as it was; with --format "%.0f" all digits are there.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download datamash=1.7-2 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
of() { # NUMBERS OPERATIONS
	local numbers=$1
	shift
	echo "$numbers: $* $(tr ' ' '\n' <<<"$numbers" | root/usr/bin/datamash "$@")"
}
seen=$(
	of '12345678901234 1' sum 1
	of '123456789012344 1' sum 1
	of '123456789012344 1' --format %.0f sum 1
	of '123456789012341 123456789012342' max 1 min 1
	of '123456789012341 123456789012342' first 1 unique 1
)
wanted='12345678901234 1: sum 1 12345678901235
123456789012344 1: sum 1 1.2345678901234e+14
123456789012344 1: --format %.0f sum 1 123456789012345
123456789012341 123456789012342: max 1 min 1 1.2345678901234e+14	1.2345678901234e+14
123456789012341 123456789012342: first 1 unique 1 123456789012341	123456789012341,123456789012342'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
