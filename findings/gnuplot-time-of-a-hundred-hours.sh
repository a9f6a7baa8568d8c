#!/usr/bin/env bash
# Version: gnuplot-nox 5.4.4+dfsg1-2+b2 (Debian 12).
# Guess: "set xdata time" with the format %H:%M:%S reads Elapsed as sacct prints it: 100:00:00 is a hundred hours, as 25:00:00 is
#   25 hours; 1-02:03:04, which does not fit the format, is a missing point.
# Seen: 100:00:00 is ten hours, as %H takes two digits and the rest is dropped; 1-02:03:04 is one hour, drawn among the others
#   without a word. With %d-%H:%M:%S a day is missing, as days of a month begin at 1: it is two hours. %tH takes any hours,
#   and no days.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download gnuplot-nox=5.4.4+dfsg1-2+b2 gnuplot-data liblua5.4-0 libabsl20220623 libaom3 libavif15 libblkid1 libbrotli1 libbsd0 libcairo2 \
	libdatrie1 libdav1d6 libde265-0 libdeflate0 libedit2 libexpat1 libffi8 libfontconfig1 libfreetype6 libfribidi0 libgav1-1 libgd3 libglib2.0-0 \
	libgraphite2-3 libharfbuzz0b libheif1 libjbig0 libjpeg62-turbo liblerc4 liblzma5 libmd0 libmount1 libnuma1 libpango-1.0-0 libpangocairo-1.0-0 \
	libpangoft2-1.0-0 libpcre2-8-0 libpixman-1-0 libpng16-16 librav1e0 libselinux1 libsvtav1enc1 libthai0 libtiff6 libtinfo6 libwebp7 libx11-6 libx265-199 \
	libxau6 libxcb-render0 libxcb-shm0 libxcb1 libxdmcp6 libxext6 libxpm4 libxrender1 libyuv0 libzstd1 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
LD_LIBRARY_PATH=$(find "$PWD/root" -name '*.so.*' -exec dirname {} + | sort -u | paste -sd:)
export LD_LIBRARY_PATH
printf '%s\n' '00:10:00 1' '25:00:00 2' '100:00:00 3' '1-02:03:04 4' >elapsed
cat >table.gp <<-'END'
	set xdata time
	set timefmt "%H:%M:%S"
	set format x "%tH:%tM:%tS"
	set table "table"
	plot "elapsed" using 1:2
END
cat >words.gp <<-'END'
	read(format, text) = sprintf("%s of %s: %.0f s", format, text, strptime(format, text))
	print read("%H:%M:%S", "25:00:00")
	print read("%H:%M:%S", "100:00:00")
	print read("%H:%M:%S", "1-02:03:04")
	print read("%d-%H:%M:%S", "1-02:03:04")
	print read("%d-%H:%M:%S", "2-02:03:04")
	print read("%tH:%tM:%tS", "100:00:00")
	print read("%tH:%tM:%tS", "1-02:03:04")
END
seen=$(
	root/usr/bin/gnuplot-nox table.gp 2>&1
	paste -d' ' <(cut -d' ' -f1 elapsed) <(awk '$3 == "i" { print "is drawn at " $1 }' table)
	root/usr/bin/gnuplot-nox words.gp 2>&1
)
wanted='00:10:00 is drawn at "0:10:00"
25:00:00 is drawn at "25:00:00"
100:00:00 is drawn at "10:00:00"
1-02:03:04 is drawn at "1:00:00"
%H:%M:%S of 25:00:00: 90000 s
%H:%M:%S of 100:00:00: 36000 s
%H:%M:%S of 1-02:03:04: 3600 s
%d-%H:%M:%S of 1-02:03:04: 7384 s
%d-%H:%M:%S of 2-02:03:04: 93784 s
%tH:%tM:%tS of 100:00:00: 360000 s
%tH:%tM:%tS of 1-02:03:04: 3600 s'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
