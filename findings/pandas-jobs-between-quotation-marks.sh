#!/usr/bin/env bash
# Version: python3-pandas 1.5.3+dfsg-2 (Debian 12).
# Guess: read_csv(sep="|") of "sacct -P" has a row for each line; a name with a quotation mark in it stays as it is, or is an error.
#   Names of users are text: null is a user, and 007 and 7 are two. With "sacct -n -p", whose lines end with "|", and names=
#   given, the columns are those, and the empty one is dropped or refused.
# Seen: a job's name that begins with a quotation mark takes all lines into it until a later such mark, in a job of anybody, without a
#   word: 4 jobs are 2. It is an error only if no other mark follows; marks inside names are harmless. The user null is nobody,
#   whom groupby leaves out, and where all users are digits 007 is 7. With "|" at the end all columns move one to the left, as
#   the first becomes the index. quoting=3, keep_default_na=False, dtype and index_col=False help.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download python3-pandas=1.5.3+dfsg-2 python3-pandas-lib python3-numpy python3-dateutil python3-tz python3-six python3-pkg-resources \
	python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 libblas3 liblapack3 libgfortran5 libquadmath0 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libquadmath.so.0 | head -n 1)")
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack:${lib%/usr/*}/lib/${lib##*/} PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages
cat >read.py <<-'PY'
	import io

	import pandas


	def show(name, text, **options):
	    try:
	        table = pandas.read_csv(io.StringIO(text), sep="|", **options)
	    except pandas.errors.ParserError as err:
	        print(f"{name}: {err}")
	        return
	    print(f"{name}: {table.to_dict('list')}")
	    if "Wait" in table:
	        print("  by user:", table.groupby("User").Wait.sum().to_dict())


	quoted = 'JobID|JobName|User\n12|"a|ann\n13|b|bob\n14|"c|ann\n15|d|bob\n'
	show("quotation marks", quoted)
	show("the same with quoting=3", quoted, quoting=3)
	show("one mark", 'JobID|JobName|User\n12|"a|ann\n13|b|bob\n')
	show("marks inside", 'JobID|JobName|User\n12|6"|ann\n13|8"|bob\n')
	users = "User|Wait\nnull|50\nann|1\n"
	show("null", users)
	show("null with keep_default_na", users, keep_default_na=False)
	show("digits", "User|Wait\n007|50\n7|1\n")
	show("digits with dtype", "User|Wait\n007|50\n7|1\n", dtype={"User": str})
	show("ends", "12|ann|\n13|bob|\n", names=["JobID", "User"])
	show("ends with index_col", "12|ann|\n13|bob|\n", names=["JobID", "User"], index_col=False)
PY
seen=$(root/usr/bin/python3.11 read.py 2>&1)
wanted='quotation marks: {'\''JobID'\'': [12, 15], '\''JobName'\'': ['\''a|ann\n13|b|bob\n14|c'\'', '\''d'\''], '\''User'\'': ['\''ann'\'', '\''bob'\'']}
the same with quoting=3: {'\''JobID'\'': [12, 13, 14, 15], '\''JobName'\'': ['\''"a'\'', '\''b'\'', '\''"c'\'', '\''d'\''], '\''User'\'': ['\''ann'\'', '\''bob'\'', '\''ann'\'', '\''bob'\'']}
one mark: Error tokenizing data. C error: EOF inside string starting at row 1
marks inside: {'\''JobID'\'': [12, 13], '\''JobName'\'': ['\''6"'\'', '\''8"'\''], '\''User'\'': ['\''ann'\'', '\''bob'\'']}
null: {'\''User'\'': [nan, '\''ann'\''], '\''Wait'\'': [50, 1]}
  by user: {'\''ann'\'': 1}
null with keep_default_na: {'\''User'\'': ['\''null'\'', '\''ann'\''], '\''Wait'\'': [50, 1]}
  by user: {'\''ann'\'': 1, '\''null'\'': 50}
digits: {'\''User'\'': [7, 7], '\''Wait'\'': [50, 1]}
  by user: {7: 51}
digits with dtype: {'\''User'\'': ['\''007'\'', '\''7'\''], '\''Wait'\'': [50, 1]}
  by user: {'\''007'\'': 50, '\''7'\'': 1}
ends: {'\''JobID'\'': ['\''ann'\'', '\''bob'\''], '\''User'\'': [nan, nan]}
ends with index_col: {'\''JobID'\'': [12, 13], '\''User'\'': ['\''ann'\'', '\''bob'\'']}'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
