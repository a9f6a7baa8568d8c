# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of lib.sh
# The images of the testbed, also where there is no registry.

# has_image NAME succeeds if the engine has the image.
has_image() { docker image inspect "$1" >/dev/null 2>&1; }

# machine_mirror prints the Debian mirror that this machine's apt uses, if any.
machine_mirror() {
	grep -rhEo --include='*.list' --include='*.sources' 'https?://[^ ]*/debian/?( |$)' /etc/apt | head -n 1 | tr -d ' ' || true
}

# make_base RELEASE makes an image of a Debian release with the packages that
# the testbed needs, by debootstrap from the machine's own mirror. Packages are
# installed before the import, because an engine's layered files are slow.
make_base() {
	local release=$1 mirror
	mirror=${OSTRICH_MIRROR:-$(machine_mirror)}
	command -v debootstrap >/dev/null || die "debootstrap: not installed; install it, or give --base debian:12 where there is a registry"
	[ "$(id -u)" = 0 ] || die "--release $release: debootstrap needs root; --base debian:12 does not, where there is a registry"
	say "making the base image of Debian $release with debootstrap (once; a minute or two)"
	(
		work=$(mktemp -d "${TMPDIR:-/var/tmp}/ostrich-base.XXXXXX")
		# Not "( … ) || die": in such a list the shell goes on after a step that failed.
		trap 'status=$?; rm -rf "$work"; [ "$status" = 0 ] || die "the base image of Debian $release could not be made"' EXIT
		trap 'exit 130' INT
		trap 'exit 143' TERM
		tree=$work/root
		mkdir "$tree"
		quietly() { "$@" >"$work/log" 2>&1 || { tail -n 15 "$work/log" >&2 && return 1; }; }
		quietly debootstrap --variant=minbase "$release" "$tree" "$mirror"
		cp /etc/resolv.conf "$tree/etc/"
		cp "$here/packages" "$tree/tmp/"
		# shellcheck disable=SC2046 # names of packages
		quietly chroot "$tree" /tmp/packages $(cat "$here/packages.slurm")
		rm "$tree/tmp/packages"
		: >"$tree/etc/resolv.conf"
		tar -C "$tree" -c . | quietly docker import - "ostrich-testbed-base:$release"
	)
}

# make_programs BASE builds the Go programs on this machine and puts them into
# an image, from which the testbed's own takes them.
make_programs() {
	local go
	go=$(command -v go || echo /usr/local/go/bin/go)
	[ -x "$go" ] || die "go: not installed; install it, or use compose's own build where there is a registry"
	mkdir -p "$here/bin"
	(cd "$root" && CGO_ENABLED=0 "$go" build -trimpath -o "$here/bin/" ./cmd/ostrichd ./cmd/ostrich ./contrib/testbed/load) ||
		die "go build: failed"
	# The label is inherited by what is built from it, so up finds both when they are replaced.
	printf 'FROM %s\nLABEL ostrich.testbed=1\nCOPY ostrichd ostrich load /programs/\n' "$1" >"$here/bin/Dockerfile"
	local output
	output=$(docker build --quiet --tag "$OSTRICH_PROGRAMS" "$here/bin" 2>&1) || die "the image of the programs could not be built: $output"
}
