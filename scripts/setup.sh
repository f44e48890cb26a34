#!/usr/bin/env bash
# Installs what firmproof needs on a machine with Debian 12 or newer and Go, and says what it does.
# Works as root or with sudo, without a terminal; a second run only looks.
set -euo pipefail
cd "$(dirname "$0")/.."

# package -> a file that shows it is there
declare -A need=(
  [clang-14]=/usr/bin/clang-14
  [llvm-14]=/usr/bin/llvm-link-14
  [libz3-dev]=/usr/include/z3.h
  [libcadical-dev]=/usr/include/ccadical.h
  [libclang-rt-14-dev]=/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux/libclang_rt.ubsan_standalone-x86_64.a
  [bubblewrap]=/usr/bin/bwrap
  [gcc]=/usr/bin/gcc
  [g++]=/usr/bin/g++
  [libc6-dev]=/usr/include/stdio.h
  [libc6-dev-i386]=/usr/include/gnu/stubs-32.h
  [gcc-arm-none-eabi]=/usr/bin/arm-none-eabi-gcc
  [libnewlib-arm-none-eabi]=/usr/lib/arm-none-eabi/newlib/libc.a
  [avr-libc]=/usr/lib/avr/include/stdio.h
  [picolibc-riscv64-unknown-elf]=/usr/lib/picolibc/riscv64-unknown-elf/include/stdio.h
  [libc6-dev-armhf-cross]=/usr/arm-linux-gnueabihf/include/stdio.h
  [git]=/usr/bin/git
  [make]=/usr/bin/make
)
# only the tests want these
declare -A tests=(
  [lib32gcc-12-dev]=/usr/lib/gcc/x86_64-linux-gnu/12/32/libgcc.a
  [qemu-user]=/usr/bin/qemu-i386
  [qemu-system-arm]=/usr/bin/qemu-system-arm
  [csmith]=/usr/bin/csmith
  [libcsmith-dev]=/usr/include/csmith/safe_math.h
  [z3]=/usr/bin/z3
  [chromium]=/usr/bin/chromium
  [cvc5]=/usr/bin/cvc5
  [curl]=/usr/bin/curl
  [lcov]=/usr/bin/lcov
  [gcc-avr]=/usr/bin/avr-gcc
  [libsimavr-dev]=/usr/include/simavr/sim_avr.h
  [simavr]=/usr/bin/simavr
  [libxml2-utils]=/usr/bin/xmllint
  [postgresql]=/usr/lib/postgresql/15/bin/postgres
  [nodejs]=/usr/bin/node
  [npm]=/usr/bin/npm
)
# only `make release` wants these
declare -A release=(
  [g++-aarch64-linux-gnu]=/usr/bin/aarch64-linux-gnu-g++
  [binutils]=/usr/bin/objdump
  [nodejs]=/usr/bin/node
  [npm]=/usr/bin/npm
)

# Debian 13 has neither LLVM 14 nor the compilers and the database of Debian 12
newer() (
  . "${OS_RELEASE:-/etc/os-release}"
  [ "${ID:-}" = debian ] && [ "${VERSION_ID:-99}" -ge 13 ]
)
if newer; then
  unset 'need[clang-14]' 'need[llvm-14]' 'need[libclang-rt-14-dev]' 'tests[lib32gcc-12-dev]'
  need[clang-19]=/usr/bin/clang-19
  need[llvm-19]=/usr/bin/llvm-link-19
  need[libclang-rt-19-dev]=/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.ubsan_standalone-x86_64.a
  tests[lib32gcc-14-dev]=/usr/lib/gcc/x86_64-linux-gnu/14/32/libgcc.a
  tests[postgresql]=/usr/lib/postgresql/17/bin/postgres
fi

# for images: only the names
if [ "${1:-}" = list ]; then
  printf '%s\n' "${!need[@]}" | sort
  exit 0
fi

want=()
collect() {
  local -n table=$1
  for pkg in $(printf '%s\n' "${!table[@]}" | sort); do
    # a program may also come from elsewhere on PATH
    if [ ! -e "${table[$pkg]}" ] && ! { case ${table[$pkg]} in */bin/*) true;; *) false;; esac && command -v "$(basename "${table[$pkg]}")" >/dev/null; }; then
      want+=("$pkg")
    fi
  done
}
collect need
case ${1:-} in tests | release) collect "$1" ;; esac

if [ ${#want[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null; then
    echo "setup: missing ${want[*]}, and this is no Debian: install what these Debian packages hold, then run it again" >&2
    exit 2
  fi
  root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "setup: missing ${want[*]}: run as root once, or install sudo" >&2; exit 2; }
    root=(sudo -n)
    sudo -n true 2>/dev/null || root=(sudo)
  fi
  echo "setup: installing ${want[*]}"
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${want[@]}" >/dev/null
fi

command -v go >/dev/null || { echo "setup: Go 1.26 or newer is needed on PATH" >&2; exit 2; }

# go-z3 links a libz3.a inside its own folder, which the module cache does not have:
# vendor (never committed) and put Debian's library there.
# A new import of a known module changes what vendor must hold, so imports are part of the stamp.
stamp=vendor/.firmproof-stamp
state() { cat go.mod go.sum; find . -path ./vendor -prune -o -path ./build -prune -o -name '*.go' -exec grep -hoE '^(import)?[[:space:]]+([A-Za-z_.][A-Za-z0-9_]* )?"[a-z0-9-]+\.[a-z]+/[^"]+"' {} + | grep -oE '"[^"]+"' | sort -u; }
if [ ! -e "$stamp" ] || ! cmp -s <(state) "$stamp"; then
  echo "setup: go mod vendor"
  GOPROXY="$(go env GOPROXY | sed 's/,direct$//')" go mod vendor
  ln -sf "$(gcc -print-file-name=libz3.so)" vendor/github.com/mitchellh/go-z3/libz3.a
  state >"$stamp"
fi
[ ${#want[@]} -eq 0 ] && echo "setup: nothing to install" || echo "setup: done"
