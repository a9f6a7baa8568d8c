#!/usr/bin/env bash
# Version: python3-networkx 2.8.8-1 (Debian 12).
# Guess: dag_longest_path of a workflow is its critical path, from a first job to a last one; run times that its jobs have as the
#   attribute weight count, or are refused.
# Seen: only edges count, each without a weight as 1: with run times at the jobs a job of an hour is not on the path, if more edges
#   lead elsewhere. With run times at the edges the path ends before the first edge of 0 after which nothing is longer, so the
#   last job is missing, and of a workflow of nothing but 0 it is the first job alone. dag_longest_path_length is right there.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download python3-networkx=2.8.8-1 \
	python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libexpat1 libblas3 liblapack3 libgfortran5 libquadmath0 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
lib=$PWD/$(dirname "$(find root -name libquadmath.so.0 | head -n 1)")
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack:${lib%/usr/*}/lib/${lib##*/} PYTHONHOME=$PWD/root/usr PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages
cat >workflow.py <<-'PY'
	import networkx


	def show(name, graph):
	    print(f"{name}: {' '.join(networkx.dag_longest_path(graph))}, {networkx.dag_longest_path_length(graph)}")


	def edges(*weighted):
	    graph = networkx.DiGraph()
	    graph.add_weighted_edges_from(weighted)
	    return graph


	jobs = networkx.DiGraph([("a", "b"), ("b", "c"), ("a", "d")])
	networkx.set_node_attributes(jobs, {"a": 10, "b": 10, "c": 10, "d": 3600}, "weight")
	show("run times at the jobs", jobs)
	mixed = edges(("a", "d", 1.5))
	mixed.add_edges_from([("a", "b"), ("b", "c")])
	show("an edge of 1.5, two without", mixed)
	show("5 and 0", edges(("a", "b", 5), ("b", "c", 0)))
	show("5, 0 and 0", edges(("a", "b", 5), ("b", "c", 0), ("c", "d", 0)))
	show("0 and 5", edges(("a", "b", 0), ("b", "c", 5)))
	show("0 and 0", edges(("a", "b", 0), ("b", "c", 0)))
PY
seen=$(root/usr/bin/python3.11 workflow.py)
wanted='run times at the jobs: a b c, 2
an edge of 1.5, two without: a b c, 2
5 and 0: a b, 5
5, 0 and 0: a b, 5
0 and 5: a b c, 5
0 and 0: a, 0'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
