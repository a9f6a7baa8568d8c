#!/usr/bin/env bash
# Version: gringo 5.4.1-3.1+b1 (clingo 5.4.1, Debian 12).
# Guess: numbers in answer set programs are whole numbers of any size, or what is too large for them is an error, or at least a
#   warning; the solver that proves an optimum of cpu-seconds has the least one.
# Seen: they have 32 bits and go round without a word: 3000000000 in a fact is -1294967296, so is a sum of three thousand million,
#   and 65536 * 65536 is 0. "OPTIMUM FOUND" is the dearest choice, at a cost below 0; with hours in place of seconds it is the
#   cheapest. Times since 1970 fit until 2038, two of them added do not.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download gringo=5.4.1-3.1+b1 liblua5.4-0 libpython3.11 libstdc++6 libgcc-s1 libexpat1 zlib1g 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
LD_LIBRARY_PATH=$(find "$PWD/root" -name '*.so.*' -exec dirname {} + | sort -u | paste -sd:)
export LD_LIBRARY_PATH
printf '%s\n' 'fact(3000000000).' 'times(X * X) :- X = 65536.' 'moments(X + Y) :- X = 1800000000, Y = 1800000000.' \
	'job(1..3).' 'sum(S) :- S = #sum{ 1000000000, J : job(J) }.' >numbers.lp
choice() { # UNIT OF THE FIRST, SECOND AND THIRD
	printf '%s\n' '1 { use(1..3) } 1.' "cost(1, $1). cost(2, $2). cost(3, $3)." '#minimize{ C : use(X), cost(X, C) }.' '#show use/1.' >choice.lp
	{ root/usr/bin/clingo choice.lp 2>&1 || true; } | awk '/^use/ { chosen = $0 } /^Optimization/ { cost = $2 } /^OPTIMUM/ { print $0 ": " chosen ", cost " cost } /error|warning|info/'
}
seen=$(
	root/usr/bin/gringo --text numbers.lp 2>&1 | grep -v job | sort
	echo "seconds: $(choice 2000000000 36000 3000000000)"
	echo "hours: $(choice 555555 10 833333)"
)
wanted='fact(-1294967296).
moments(-694967296).
sum(-1294967296).
times(0).
seconds: OPTIMUM FOUND: use(3), cost -1294967296
hours: OPTIMUM FOUND: use(2), cost 10'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
