#!/usr/bin/env bash
# Versions: python3-pulp 2.6.0+dfsg-1 with coinor-cbc 2.10.8+ds1-1 (Debian 12).
# Guess: LpStatus is "Optimal" of a model that was solved to the end; if timeLimit stopped the solver it is "Not Solved",
#   or says that there is a solution and no more.
# Seen: it is "Optimal" as soon as there is a solution, though cbc says "Stopped on time". What tells is sol_status: 2
#   (LpSolutionIntegerFeasible) instead of 1.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download python3-pulp=2.6.0+dfsg-1 python3-amply python3-docutils python3-pyparsing \
	python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 \
	coinor-cbc=2.10.8+ds1-1 coinor-libcbc3=2.10.8+ds1-1 coinor-libcgl1=0.60.3+repack1-4 coinor-libclp1=1.17.6-3 \
	coinor-libcoinutils3v5=2.11.4+repack1-2 coinor-libosi1v5=0.108.6+repack1-2 libblas3=3.11.0-2 liblapack3=3.11.0-2 \
	libgfortran5 libquadmath0 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$(dirname "$(find root -name 'libCbc.so.3' | head -n 1)")
export LD_LIBRARY_PATH=$PWD/$lib:$PWD/$lib/blas:$PWD/$lib/lapack:$PWD/root/${lib#root/usr/} PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages
cat >model.py <<-END
	import os
	import random

	import pulp

	random.seed(3)

	def solve(items, rows, limit):  # 0/1 items that hit half of each row's sum
	    model = pulp.LpProblem("halves", pulp.LpMinimize)
	    take = [pulp.LpVariable(f"x{i}", cat="Binary") for i in range(items)]
	    over = [pulp.LpVariable(f"over{j}", 0) for j in range(rows)]
	    under = [pulp.LpVariable(f"under{j}", 0) for j in range(rows)]
	    model += pulp.lpSum(over + under)
	    for j in range(rows):
	        size = [random.randint(0, 99) for _ in range(items)]
	        model += pulp.lpSum(s * x for s, x in zip(size, take)) + over[j] - under[j] == sum(size) // 2
	    model.solve(pulp.COIN_CMD(path=os.path.abspath("root/usr/bin/cbc"), msg=0, timeLimit=limit, logPath="log"))
	    print(items, "items:", pulp.LpStatus[model.status], "sol_status", model.sol_status)

	solve(8, 2, 60)
	solve(60, 6, 3)
END
seen="$(root/usr/bin/python3.11 model.py)
$(grep -o 'Stopped on time limit' log | sort -u)"
wanted='8 items: Optimal sol_status 1
60 items: Optimal sol_status 2
Stopped on time limit'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
