#!/usr/bin/env bash
# Makes the extension for VS Code from HEAD: firmproof-VERSION.vsix in OUT (build). VERSION is three numbers; what is no
# release has 0.0.0 inside. The same commit gives the same bytes. It needs npm and its registry.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC
version=${VERSION:-$(git describe --tags 2>/dev/null || true)}
version=${version#v}
inside=$version
[[ $inside =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || inside=0.0.0
out=$PWD/${OUT:-build}/firmproof-${version:-$inside}.vsix
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
command -v npm >/dev/null || { echo "vscode: npm is needed: apt-get install nodejs npm" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git -c tar.umask=022 archive HEAD editors/vscode LICENSE docs/manifest.schema.json | tar -x -C "$scratch"
mkdir -p "$(dirname "$out")"
cd "$scratch/editors/vscode"
sh install.sh >/dev/null
npm run --silent check
npm test --silent >/dev/null
node build.mjs package "$out" "$inside" >/dev/null
echo "vscode: $out"
