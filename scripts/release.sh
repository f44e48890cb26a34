#!/usr/bin/env bash
# Makes what is published, from HEAD, into OUT (build/release): for each of ARCHS (amd64 arm64) an archive, a Debian
# package and an SBOM (CycloneDX), and the extension for VS Code, with the checksums of all. VERSION is its version, `git describe` by default.
# The same commit, Go and Debian packages give the same bytes: everything is built twice, in other folders and with an
# empty cache the second time, and compared (TWICE= builds once).
# arm64 is cross-built: with Debian's compiler, and with Debian's libz3 and CaDiCaL of arm64, which are unpacked here.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC
out=$PWD/${OUT:-build/release}
archs=${ARCHS:-amd64 arm64}
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
version=${VERSION:-$(git describe --tags 2>/dev/null || true)}
# without a tag: ordered by time, and below every version that is one
version=${version:-0~$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S).${commit:0:10}}
version=${version#v}
[[ $version =~ ^[0-9][A-Za-z0-9.+~-]*$ ]] || { echo "release: VERSION=$version: want a number first, then letters, digits and .+~-" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

say() { printf 'release: %s\n' "$*"; }
die() { printf 'release: %s\n' "$*" >&2; exit 2; }

# the Debian packages of an installation; scripts/setup.sh knows each of them
# LLVM 14 is Debian 12's, 19 Debian 13's. Clang and its tools have to be of one version: the four alternatives hold only
# where both are there of 14, or both of 19, whatever other clang is installed already.
depends="clang-14 | clang-19, clang-14 | llvm-19, llvm-14 | clang-19, llvm-14 | llvm-19, libc6-dev, libnewlib-dev, git"
recommends="bubblewrap, libclang-rt-14-dev | libclang-rt-19-dev, gcc-arm-none-eabi, libnewlib-arm-none-eabi"
suggests="avr-libc, picolibc-riscv64-unknown-elf, libc6-dev-armhf-cross, qemu-system-arm, z3, cvc5"

# unpacks the libraries of a foreign architecture, and says where; the machine stays as it is
sysroot() { # ARCH
  local root=$PWD/build/sysroot/$1 apt=$scratch/apt-$1
  if [ ! -e "$root/done" ]; then
    mkdir -p "$root" "$apt/lists/partial" "$apt/archives/partial"
    : >"$apt/status"
    local o=(-qq -o "APT::Architecture=$1" -o "APT::Architectures::=$1" -o "Dir::State::Lists=$apt/lists"
      -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt" -o APT::Sandbox::User=root)
    apt-get "${o[@]}" update >&2 || die "no packages of $1: is a source of Debian 12 in /etc/apt?"
    (cd "$apt" && apt-get "${o[@]}" download libz3-4 libz3-dev libcadical-dev >&2) || die "Debian's libz3 and CaDiCaL of $1 cannot be had"
    for deb in "$apt"/*.deb; do dpkg-deb -x "$deb" "$root"; done
    touch "$root/done"
  fi
  echo "$root"
}

# program ARCH DEST: builds the program, from a copy of HEAD in a folder of its own
program() {
  local arch=$1 dest=$2 src lib cc=gcc cxx=g++ triple=x86_64-linux-gnu root=
  [ "$arch" = arm64 ] && triple=aarch64-linux-gnu
  if [ "$arch" != "$(dpkg --print-architecture)" ]; then
    root=$(sysroot "$arch")
    cc="$triple-gcc -I$root/usr/include -L$root/usr/lib/$triple"
    cxx="$triple-g++ -I$root/usr/include -L$root/usr/lib/$triple"
  fi
  lib=$root/usr/lib/$triple/libz3.so
  [ -e "$lib" ] || lib=$($cc -print-file-name=libz3.so)
  src=$(mktemp -d "$scratch/src-XXXXXX")
  git -c tar.umask=022 archive "$commit" | tar -x -C "$src"
  cp -a vendor/. "$src/vendor"
  ln -sf "$lib" "$src/vendor/github.com/mitchellh/go-z3/libz3.a" # as scripts/setup.sh does
  (cd "$src" && CGO_ENABLED=1 GOOS=linux GOARCH=$arch GOFLAGS= CC=$cc CXX=$cxx go build -mod=vendor -trimpath \
    -buildvcs=false -ldflags "-s -w -buildid= -X main.version=$version" -o "$dest" ./cmd/firmproof)
}

# notices ARCH PROGRAM: the licences of what is inside
notices() {
  cat LICENSE
  printf '\n\nThe program contains:\n'
  go version -m "$2" | awk '$1 == "dep" {print $2, $3}' | while read -r module v; do
    printf '\n==== %s %s\n\n' "$module" "$v"
    find "vendor/$module" -maxdepth 1 -type f -iregex '.*/\(\(un\)?licen[cs]e\|copying\|notice\)[^/]*' | sort |
      xargs --no-run-if-empty cat | grep . || die "$module has no licence in vendor"
  done
  printf '\n==== the Go standard library\n\n'
  cat "$(go env GOROOT)/LICENSE"
  printf '\n==== CaDiCaL\n\n'
  cat "$(copyright "$1" libcadical-dev)"
}

copyright() { # ARCH PACKAGE
  local file=/usr/share/doc/$2/copyright
  [ "$1" = "$(dpkg --print-architecture)" ] || file=$(sysroot "$1")$file
  echo "$file"
}

# newest PROGRAM PREFIX: the highest version of symbols that the program wants of a library
newest() { objdump -T "$1" | grep -o "(\?$2_[0-9.]*" | tr -d '(' | sed "s/$2_//" | sort -Vu | tail -n 1; }

# needs PROGRAM: the libraries it is linked with, as Debian's packages
needs() {
  local lib
  for lib in $(objdump -p "$1" | awk '$1 == "NEEDED" {print $2}'); do
    case $lib in
      libc.so.* | libm.so.* | libresolv.so.* | libpthread.so.* | ld-linux-*) ;;
      libstdc++.so.6) printf 'libstdc++6 (>= 12), ' ;; # GLIBCXX_3.4.30 and below
      libgcc_s.so.1) printf 'libgcc-s1, ' ;;
      libz3.so.4) printf 'libz3-4 (>= 4.8.12), ' ;;
      *) die "$1 wants $lib, and no package is known for it" ;;
    esac
  done
  printf 'libc6 (>= %s)' "$(newest "$1" GLIBC)"
}

# tree ARCH DIR: what an installation has below /usr
tree() {
  local arch=$1 dir=$2 native=$scratch/native
  install -d "$dir/bin" "$dir/share/doc/firmproof" "$dir/share/firmproof"
  program "$arch" "$dir/bin/firmproof"
  case $(newest "$dir/bin/firmproof" GLIBCXX) in
    3.4 | 3.4.? | 3.4.[12]? | 3.4.30) ;;
    *) die "the program wants a newer libstdc++ than 12: mend needs()" ;;
  esac
  if [ "$arch" = "$(dpkg --print-architecture)" ]; then cp "$dir/bin/firmproof" "$native"; else
    [ -x "$native" ] || program "$(dpkg --print-architecture)" "$native"
  fi
  install -d "$dir/share/bash-completion/completions" "$dir/share/zsh/vendor-completions" "$dir/share/fish/vendor_completions.d"
  "$native" completion bash >"$dir/share/bash-completion/completions/firmproof"
  "$native" completion zsh >"$dir/share/zsh/vendor-completions/_firmproof"
  "$native" completion fish >"$dir/share/fish/vendor_completions.d/firmproof.fish"
  git -c tar.umask=022 archive "$commit" examples | tar -x -C "$dir/share/firmproof"
  git -c tar.umask=022 archive "$commit" README.md CHANGELOG.md SECURITY.md docs/manual.md docs/server.md docs/SEMANTICS.md |
    tar -x -C "$dir/share/doc/firmproof"
  notices "$arch" "$dir/bin/firmproof" >"$dir/share/doc/firmproof/copyright"
  go run ./scripts/sbom -version "$version" -arch "$arch" -needs "$depends, $(needs "$dir/bin/firmproof")" \
    "$dir/bin/firmproof" >"$dir/share/doc/firmproof/sbom.cdx.json"
  find "$dir" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

# pack ARCH USR DEST: archive, package and SBOM of a tree
pack() {
  local arch=$1 usr=$2 dest=$3 name=firmproof-$version-linux-$arch deb=$scratch/deb-$arch libs
  libs=$(needs "$usr/bin/firmproof")
  rm -rf "$scratch/$name" "$deb"
  cp -a "$usr" "$scratch/$name"
  cat >"$scratch/$name/NEEDS" <<END
firmproof $version for Linux on $arch, from commit $commit.
bin/firmproof runs from where it is unpacked, on Debian 12 and what has the same packages (or newer libraries). It needs
  $depends
  $libs
and for more targets, for the sandbox of \`serve\` and for \`replay\`
  $recommends
  $suggests
\`bin/firmproof doctor\` says what is missing on a machine.
END
  touch -d "@$SOURCE_DATE_EPOCH" "$scratch/$name" "$scratch/$name/NEEDS"
  tar -C "$scratch" --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -c "$name" |
    gzip -9n >"$dest/$name.tar.gz"
  install -d "$deb/DEBIAN"
  cp -a "$usr" "$deb/usr"
  cat >"$deb/DEBIAN/control" <<END
Package: firmproof
Version: $version
Architecture: $arch
Maintainer: firmproof <firmproof@users.noreply.github.com>
Installed-Size: $(find "$deb/usr" -type f -printf '%s\n' | awk '{n += int(($1 + 1023) / 1024)} END {print n}')
Section: devel
Priority: optional
Depends: $depends, $libs
Recommends: $recommends
Suggests: $suggests
Homepage: https://github.com/firmproof/firmproof
Description: proves embedded firmware right, or shows how it breaks
 Bounded model checking and termination analysis of C over LLVM IR, as a
 command-line tool and as a GitHub App.
END
  find "$deb" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb -Zxz -z3 --threads-max=1 --root-owner-group --build "$deb" "$dest/firmproof_${version}_$arch.deb" >/dev/null
  cp "$usr/share/doc/firmproof/sbom.cdx.json" "$dest/$name.cdx.json"
}

# all DEST: everything, once
all() {
  local arch
  mkdir -p "$1"
  rm -f "$scratch/native"
  for arch in $archs; do
    tree "$arch" "$1/usr-$arch"
    pack "$arch" "$1/usr-$arch" "$1"
    rm -rf "$1/usr-$arch"
  done
  VERSION=$version OUT=$(realpath --relative-to=. "$1") scripts/vscode.sh
  (cd "$1" && sha256sum -- *.deb *.json *.tar.gz *.vsix >SHA256SUMS)
}

for arch in $archs; do
  case $arch in amd64 | arm64) ;; *) die "ARCHS: $arch is neither amd64 nor arm64" ;; esac
done
[ -z "$(git status --porcelain --untracked-files=no)" ] || say "changes that are not committed are left out"
rm -rf "$out"
say "firmproof $version for $archs, into ${out#"$PWD"/}"
all "$out"
if [ "${TWICE-1}" ]; then
  say "once more, in other folders, with an empty cache"
  GOCACHE=$scratch/cache all "$scratch/again"
  diff <(cd "$out" && sort SHA256SUMS) <(cd "$scratch/again" && sort SHA256SUMS) || die "the two builds differ"
  say "the same bytes"
fi
cat "$out/SHA256SUMS"
