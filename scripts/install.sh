#!/usr/bin/env bash
# Installs a release of firmproof on a Debian or Ubuntu machine: FIRMPROOF_VERSION (1.2.0 or v1.2.0), from
# FIRMPROOF_RELEASES (where the files of release v1.2.0 are below v1.2.0/). Another version, such as a branch, is built
# from FIRMPROOF_SOURCE. In a step of GitHub Actions it says what `program` and `version` are. Where FIRMPROOF_PATH (else
# the current folder) is in a project, the headers of its targets are installed, too.
set -euo pipefail
releases=${FIRMPROOF_RELEASES:-https://github.com/firmproof/firmproof/releases/download}
version=${FIRMPROOF_VERSION#v}
output=${GITHUB_OUTPUT:-/dev/null}
die() { printf 'firmproof: %s\n' "$*" >&2; exit 2; }

root=()
[ "$(id -u)" = 0 ] || root=(sudo)
# needs PROGRAM PACKAGE...: installs packages where the program is missing
needs() {
  command -v "$1" >/dev/null && return
  shift
  "${root[@]}" apt-get update -q
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}
command -v apt-get >/dev/null || die "this machine has no apt-get: run the job on ubuntu-latest, or in the container debian:12"

if ! [[ $version =~ ^[0-9]+\.[0-9]+(\.[0-9]+)?([-~.][A-Za-z0-9.~-]+)?$ ]]; then
  [ -f "${FIRMPROOF_SOURCE:-}/Makefile" ] || die "no release is called \"$version\": name one, such as 1.2.0"
  echo "firmproof: \"$version\" is no release: building it"
  needs make make
  command -v go >/dev/null || die "\"$version\" has to be built, for which Go is missing: name a release, or run actions/setup-go first"
  make -C "$FIRMPROOF_SOURCE" build
  {
    echo "program=$FIRMPROOF_SOURCE/bin/firmproof"
    echo "version=$("$FIRMPROOF_SOURCE/bin/firmproof" --version | cut -d' ' -f2)"
  } >>"$output"
  exit
fi

arch=$(dpkg --print-architecture)
file=firmproof_${version}_$arch.deb
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir" # apt reads it as another user
needs curl curl ca-certificates
fetch() { curl -fsSL --retry 3 -o "$dir/$1" "$releases/v$version/$1" || die "$releases/v$version/$1 cannot be had: is there a release $version for $arch?"; }
fetch SHA256SUMS
fetch "$file"
(cd "$dir" && grep -F "  $file" SHA256SUMS | sha256sum --strict --check --quiet) || die "$file is not what SHA256SUMS says"
"${root[@]}" apt-get update -q
"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$dir/$file"
# what the targets of the project need; if something is still missing, `check` says so
(cd "${FIRMPROOF_PATH:-.}" 2>/dev/null && firmproof doctor --fix --yes) || true
{
  echo "program=$(command -v firmproof)"
  echo "version=$version"
} >>"$output"
firmproof --version
