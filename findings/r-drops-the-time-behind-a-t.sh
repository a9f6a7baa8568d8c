#!/usr/bin/env bash
# Version: r-base-core 4.2.2.20221110-2 (R 4.2.2, Debian 12).
# Guess: as.POSIXct("2026-11-01T01:30:00"), as sacct prints times, is half past one, or an error; as.difftime("100:00:00") is
#   a hundred hours.
# Seen: it is midnight: what stands behind the date is dropped without a word, so a wait within a day is 0. A space in
#   place of the T, or a format, gives half past one. as.difftime reads 24:00:00, and of all that is longer, as of
#   1-02:00:00, it makes NA without a warning.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download r-base-core=4.2.2.20221110-2 libblas3 liblapack3 libgfortran5 libquadmath0 libgomp1 libtirpc3 libicu72 libreadline8 libpcre2-8-0 \
	libpng16-16 libcairo2 libbz2-1.0 liblzma5 libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1 libcom-err2 libjpeg62-turbo libpaper1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
export R_HOME=$PWD/root/usr/lib/R R_DEFAULT_PACKAGES=NULL TZ=UTC LC_ALL=C
lib=$PWD/$(dirname "$(find root -name 'libgfortran.so.5' | head -n 1)")
export LD_LIBRARY_PATH=$R_HOME/lib:$lib:$lib/blas:$lib/lapack:${lib%/usr/*}/lib/${lib##*/}
cat >read.R <<-'END'
	show <- function(text, value) cat(text, "is", format(value), "\n")
	at <- function(text, ...) format(as.POSIXct(text, tz = "UTC", ...), "%F %H:%M")
	show("2026-11-01T01:30:00", at("2026-11-01T01:30:00"))
	show("2026-11-01 01:30:00", at("2026-11-01 01:30:00"))
	show("2026-11-01T01:30:00 with a format", at("2026-11-01T01:30:00", format = "%Y-%m-%dT%H:%M:%S"))
	jobs <- list(Submit = c("2026-11-01T01:30:00", "2026-11-01T02:00:00"), Start = c("2026-11-01T09:00:00", "2026-11-01T23:00:00"))
	cat("waits:", as.numeric(as.POSIXct(jobs$Start, tz = "UTC") - as.POSIXct(jobs$Submit, tz = "UTC")), "\n")
	for (text in c("23:30:00", "24:00:00", "24:30:00", "25:00:00", "100:00:00", "1-02:00:00")) show(text, as.numeric(as.difftime(text, units = "hours")))
END
seen=$("$R_HOME/bin/exec/R" --vanilla --no-echo -f read.R 2>warnings | sed 's/ $//; /Renviron/d')
wanted='2026-11-01T01:30:00 is 2026-11-01 00:00
2026-11-01 01:30:00 is 2026-11-01 01:30
2026-11-01T01:30:00 with a format is 2026-11-01 01:30
waits: 0 0
23:30:00 is 23.5
24:00:00 is 24
24:30:00 is NA
25:00:00 is NA
100:00:00 is NA
1-02:00:00 is NA'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
