#!/usr/bin/env bash
# Versions: csvkit 1.0.7-1 and python3-agate 1.6.3-2 (Debian 12), with Python 3.11.
# Guess: csvsort, csvjson and csvsql leave the values of a column as they are, or leave it text where one value is no plain number:
#   the JobID of sacct stays 12_3, and 12_10 comes after it.
# Seen: where all jobs of the file are tasks of arrays the column is one of numbers, as Python's numbers may have underscores:
#   12_3 becomes 123 and 12_10 becomes 1210, other jobs, in the output too, and the order is theirs; 1_23 and 12_3 are one. So it
#   is with plain jobs among them; with one ID.batch all is text. With --no-inference (-I) all stays as it is.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download csvkit=1.0.7-1 python3-csvkit=1.0.7-1 python3-agate=1.6.3-2 python3-agatedbf python3-agateexcel python3-agatesql python3-babel \
	python-babel-localedata python3-dbfread python3-et-xmlfile python3-greenlet python3-importlib-metadata python3-isodate python3-jdcal python3-leather \
	python3-lxml python3-more-itertools python3-olefile python3-openpyxl python3-parsedatetime python3-pkg-resources python3-pytimeparse python3-six \
	python3-slugify python3-sqlalchemy python3-typing-extensions python3-tz python3-unidecode python3-xlrd python3-zipp \
	python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 libsqlite3-0 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
export PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages LC_ALL=C.UTF-8
csv() { root/usr/bin/python3.11 "root/usr/bin/$1" "${@:2}"; }
ids() { printf '%s\n' JobID,State "${@/%/,COMPLETED}"; }
seen=$(
	echo "csvsort: $(ids 13_1 12_10 2_400 12_3 | csv csvsort -c JobID | cut -d, -f1 | xargs)"
	echo "csvjson: $(ids 12_3 | csv csvjson)"
	echo "unique: $(ids 1_23 12_3 | csv csvstat -c JobID --unique)"
	echo "with a plain job: $(ids 12_3 77 | csv csvsort -c JobID | cut -d, -f1 | xargs)"
	echo "with a step: $(ids 12_3 12_3.batch | csv csvsort -c JobID | cut -d, -f1 | xargs)"
	echo "-I: $(ids 13_1 12_10 12_3 | csv csvsort -I -c JobID | cut -d, -f1 | xargs)"
)
wanted='csvsort: JobID 123 131 1210 2400
csvjson: [{"JobID": 123.0, "State": "COMPLETED"}]
unique: 1
with a plain job: JobID 77 123
with a step: JobID 12_3 12_3.batch
-I: JobID 12_10 12_3 13_1'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
