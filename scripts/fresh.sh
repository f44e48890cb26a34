#!/usr/bin/env bash
# Runs `make demo` and `make test` as on a fresh machine: in a minimal Debian root (DIST: bookworm, trixie) that holds nothing
# but make, a clean clone of HEAD and this machine's Go. STEP picks one of: root (make the root anew), demo, test,
# shell (bash there, or CMD), clean; without STEP: root, demo and test. STEP=recipes makes a release of HEAD, and follows
# each documented CI recipe with it, in a root of its own that holds nothing but Debian's minimum. FRESH_DIR is where it is
# made. Sources of apt, proxies, certificates and npm's settings are this machine's, read now. Must run as root (or with
# sudo) on a Debian 12 machine.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD
dist=${DIST:-bookworm}
work=${FRESH_DIR:-/var/tmp/firmproof-fresh}
root=$work/root
version=99.0.0 # of the release that recipes install
mkdir -p "$work"

say() { printf 'fresh: %s\n' "$*"; }
die() { printf 'fresh: %s\n' "$*" >&2; exit 2; }

if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || die "run as root, or install sudo: a root file system has files of several owners"
  exec sudo -E env "PATH=$PATH" "STEP=${STEP:-}" "CMD=${CMD:-}" "FRESH_DIR=$work" "DIST=$dist" "$0"
fi
goroot=$(go env GOROOT) || die "Go is needed on PATH: it is copied into the root"
command -v apt-get >/dev/null || die "this is no Debian: make the root on a Debian machine"

# the mirrors of this machine's Debian packages with the release asked for, one source a line
sources() {
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)|$(CODENAME)' \
    'Created-By: Packages' 'Origin: Debian' | sed -nE 's/\|([a-z]+)[a-z-]*$/ \1/p' |
    awk -v dist="$dist" '{sub($5, dist, $3); print $1, $2, $3, $4}' | sort -u
}

# bare_root DIR: Debian's minimum
bare_root() {
  command -v mmdebstrap >/dev/null || {
    say "installing mmdebstrap"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap
  }
  [ -n "$(sources)" ] || apt-get update -qq
  [ -n "$(sources)" ] || die "apt knows no source of Debian: see /etc/apt/sources.list.d"
  rm -rf "$1"
  { apt-config dump | grep -E '^Acquire::(Check-|Retries|https?::[^ ]*(Proxy|CaInfo|Verify|Timeout))' || true; } >"$work/apt.conf"
  local keyring=()
  [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] && keyring=(--keyring=/usr/share/keyrings/debian-archive-keyring.gpg)
  sources | mmdebstrap --variant=minbase --include=make,ca-certificates --aptopt="$work/apt.conf" "${keyring[@]}" "$dist" "$1" -
  if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
    cp /usr/local/share/ca-certificates/*.crt "$1/usr/local/share/ca-certificates/"
    inside "$1" / update-ca-certificates
  fi
}

make_root() {
  bare_root "$root"
  cp -a "$goroot" "$root/usr/local/go"
  [ -z "$(git status --porcelain --untracked-files=no)" ] || say "changes that are not committed are left out"
  git clone -q --no-local "$top" "$root/firmproof"
}

# inside ROOT DIR COMMAND... runs a command in a root: mounts of its own and pivot_root, since a plain chroot forbids user
# namespaces and with them the sandbox of the builds. The network is this machine's.
inside() {
  local root=$1 dir=$2 && shift 2
  local env=(HOME=/root PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 GOTOOLCHAIN=local) name file
  for name in GOPROXY GOSUMDB GONOSUMDB GONOPROXY GOPRIVATE GOINSECURE; do
    env+=("$name=$(go env "$name")")
  done
  for name in $(compgen -e | grep -E '^([a-z]+_proxy|[A-Z]+_PROXY|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|GIT_SSL_CAINFO|CURL_CA_BUNDLE|npm_config_registry|NPM_CONFIG_REGISTRY)$' || true); do
    env+=("$name=${!name}")
  done
  local binds=(/etc/resolv.conf /etc/hosts)
  if command -v npm >/dev/null; then
    for name in userconfig globalconfig; do
      file=$(npm config get "$name" 2>/dev/null) || continue
      [ -f "$file" ] || continue
      binds+=("$file")
      env+=("npm_config_$name=$file")
    done
  fi
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child --propagation private bash -euc '
    root=$1 && shift
    mount --bind "$root" "$root"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/run"
    while [ "$1" != -- ]; do # files of this machine, read-only
      mkdir -p "$root$(dirname "$1")" && touch "$root$1"
      mount --bind "$(realpath "$1")" "$root$1" && mount -o remount,bind,ro "$root$1"
      shift
    done
    shift
    cd "$root"
    pivot_root . .
    umount -l .
    cd / && cd "$1" && shift
    exec "$@"
  ' inside "$root" "${binds[@]}" -- "$dir" env -i "${env[@]}" "$@"
}

# packages installed in the root, one a line
packages() { sed -n 's/^Package: //p' "$root/var/lib/dpkg/status" 2>/dev/null | sort || true; }

# release puts what `make release` makes of HEAD where the recipes will find it.
release() {
  rm -rf "$work/releases"
  mkdir -p "$work/releases/v$version"
  VERSION=$version ARCHS=$(dpkg --print-architecture) TWICE='' OUT=build/fresh-release scripts/release.sh
  cp build/fresh-release/* "$work/releases/v$version/"
}

# recipe NAME: follows a recipe in a root of its own: a project with a bug, for a target whose headers are not the host's.
recipe() {
  local own=$work/recipe name=$1 status=0
  rm -rf "$own"
  cp -a "$work/bare" "$own"
  cp -a "$work/releases" "$own/releases"
  mkdir -p "$own/project/src" "$own/firmproof/scripts"
  cp scripts/install.sh "$own/firmproof/scripts/"
  cat >"$own/project/.firmproof.yml" <<'END'
version: 1
targets: [cortex-m3, avr, x86_64]
build: {sources: [src/*.c]}
harnesses: [{entry: main}]
END
  cat >"$own/project/src/main.c" <<'END'
#include <string.h>
#include <stdint.h>
#include "firmproof.h"
int main(void) {
    uint8_t frame[8] = {0}, n = firmproof_nondet_uint8_t();
    memset(frame, 1, n);
    return frame[0];
}
END
  go run ./scripts/recipes -version "$version" -releases file:///releases "$name" >"$own/project/recipe.sh"
  inside "$own" /project bash recipe.sh || status=$?
  [ $status = 1 ] || { echo "$name: exit status $status, want 1 for the bug of the project"; return 1; }
  local report=firmproof.sarif t
  [ "$name" != gitlab ] || report=codequality.json
  for t in cortex-m3 avr x86_64; do grep -q "$t" "$own/project/$report" || { echo "$report: nothing about $t"; return 1; }; done
  [ "$name" != action ] || grep -q 'sarif=firmproof.sarif' "$own/tmp/output"
}

summary=()
failed=0
step() { # name, command...: runs it, keeps its output, says how it went
  local name=$1 start=$SECONDS added status result=ok && shift
  say "$name: output in $work/$name.log"
  packages >"$work/before"
  set +e # else a failing line of the step would not end it
  (set -e; "$@") >"$work/$name.log" 2>&1
  status=$?
  set -e
  if [ $status != 0 ]; then
    result=FAILED
    failed=1
  fi
  added=$(comm -13 "$work/before" <(packages) | wc -l)
  summary+=("$(printf '%-5s %-6s %5d s, %d packages added' "$name" "$result" $((SECONDS - start)) "$added")")
  if [ "$result" = FAILED ]; then
    grep -E '^ *--- FAIL|^FAIL|^panic:|: command not found|executable file not found' "$work/$name.log" | head -40 || true
    echo '...'
    tail -n 30 "$work/$name.log"
  fi
}

case ${STEP:-all} in
  all) steps=(root demo test) ;;
  root | demo | test) steps=("$STEP") ;;
  recipes) steps=() ;;
  shell) inside "$root" /firmproof bash ${CMD:+-c "$CMD"}; exit ;;
  clean) rm -rf "$work"; exit 0 ;;
  *) die "STEP=$STEP: not one of root, demo, test, recipes, shell, clean" ;;
esac
if [ "${STEP:-}" = recipes ]; then
  root=$work/bare
  step bare bare_root "$work/bare"
  for s in release ${RECIPES:-gitlab action jenkins azure}; do
    [ "$s" = release ] || s="recipe $s"
    # shellcheck disable=SC2086
    [ $failed != 0 ] || step "${s/ /-}" $s
  done
fi
[ ${#steps[@]} = 0 ] || [ "${steps[0]}" = root ] || [ -d "$root/firmproof" ] || steps=(root "${steps[@]}")
for s in "${steps[@]}"; do
  [ $failed = 0 ] || break
  if [ "$s" = root ]; then
    step root make_root
  else
    step "$s" inside "$root" /firmproof make "$s"
  fi
done
say "summary of $(git -C "$root/firmproof" rev-parse --short HEAD 2>/dev/null || git rev-parse --short HEAD), $(. "$root/etc/os-release" 2>/dev/null && echo "${PRETTY_NAME:-}"), $(go version | cut -d' ' -f3)"
printf '  %s\n' "${summary[@]}"
exit $failed
