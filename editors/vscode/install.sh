#!/bin/sh
# Installs here what package-lock.json names, without running scripts of packages. npm before 9.5 (that of Debian is 9.2)
# fails on overrides that are folders, and 10 puts them elsewhere than the file says: a newer one is fetched for it.
set -eu
case $(npm --version) in
[1-8].* | 9.[0-4].*) set -- npx --yes npm@11.6.2 ;;
*) set -- npm ;;
esac
exec "$@" ci --ignore-scripts --no-audit --no-fund --prefer-offline
