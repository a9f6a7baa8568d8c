#!/usr/bin/env bash
# Versions: environment-modules 5.2.0-1 and lmod 8.6.19-1 (Debian 12).
# Guess: of one tree of modulefiles "module load app" gives the same version with both tools, 1.10 of 1.9, 1.10-rc1 and
#   1.10; and a second version of an app is refused, or takes the place of the first.
# Seen: Lmod loads 1.10, and Environment Modules 1.10-rc1, which it takes for the later one. Of app/1.9 beside app/1.10
#   Lmod makes app/1.9 alone, and Environment Modules both, unless the modulefile names the conflict.
# Ends with 0 if that is still so, 1 if not.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download environment-modules=5.2.0-1 lmod=8.6.19-1 tcl8.6 libtcl8.6 lua5.3 liblua5.3-0 \
	lua-posix lua-filesystem lua-term lua-json lua-lpeg libreadline8 2>warnings
for deb in *.deb; do dpkg -x "$deb" root; done
for version in 1.9 1.10 1.10-rc1; do
	mkdir -p modules/app
	printf '#%%Module1.0\nsetenv APP %s\n' "$version" >"modules/app/$version"
done
libs=$PWD/$(dirname "$(find root -name 'libtcl8.6.so*' | head -n 1)") lmod=$PWD/root/usr/share/lmod/8.6.19/libexec/lmod
sed -i "s#/usr/share/lua#$PWD/root&#g; s#/usr/lib/[a-z0-9_]*-linux-gnu/lua#$PWD/root&#g" "$lmod"
export LD_LIBRARY_PATH=$libs:$PWD/root/lib/${libs##*/} TCL_LIBRARY=$PWD/root/usr/share/tcltk/tcl8.6 MODULEPATH=$PWD/modules HOME=$PWD
environment_modules() { root/usr/bin/tclsh8.6 "$libs/modulecmd.tcl" bash "$@" 2>warnings; }
lmod() { root/usr/bin/lua5.3 "$lmod" bash "$@" 2>warnings; }
seen=$(
	for tool in environment_modules lmod; do
		(eval "$("$tool" load app)" && echo "$tool load app: $LOADEDMODULES")
		(eval "$("$tool" load app/1.10)" && eval "$("$tool" load app/1.9)" && echo "$tool load app/1.10, app/1.9: $LOADEDMODULES")
	done
)
wanted='environment_modules load app: app/1.10-rc1
environment_modules load app/1.10, app/1.9: app/1.10:app/1.9
lmod load app: app/1.10
lmod load app/1.10, app/1.9: app/1.9'
echo "$seen"
if [[ $seen != "$wanted" ]]; then
	printf 'changed; before it was\n%s\n' "$wanted"
	exit 1
fi
