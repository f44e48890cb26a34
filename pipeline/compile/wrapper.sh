#!/bin/sh
# Stands in for a compiler during a recorded build: writes down the call, then runs
# the real tool, or leaves empty outputs where there is none. Where nobody records, it
# only runs the tool.
here=@DIR@
log=$FIRMPROOF_CALLS
name=${0##*/}
[ -d "$log" ] && case $name in
*gcc* | *cc | *clang* | *c99 | *++* | *cpp)
	file=$(mktemp "$log/call.XXXXXXXXXX") || exit 1
	{
		printf '%s\0' "$PWD" "$name"
		for arg in "$@"; do printf '%s\0' "$arg"; done
	} >"$file.part" && mv "$file.part" "$file" || exit 1
	;;
esac
rest=$PATH:
while [ -n "$rest" ]; do
	dir=${rest%%:*}
	rest=${rest#*:}
	[ "$dir" = "$here" ] && continue
	[ -x "$dir/$name" ] && exec "$dir/$name" "$@"
done
if ! [ -d "$log" ]; then
	echo "$name: not found" >&2
	exit 127
fi
: >"$log/missing.$name"
out= dep= compile= auto= last= prev= objects=
for arg in "$@"; do
	case $prev in
	-o) out=$arg ;;
	-MF) dep=$arg ;;
	esac
	case $arg in
	-dumpmachine) echo "${name%-*}"; exit 0 ;;
	-dumpversion | -dumpfullversion) echo 12.2.0; exit 0 ;;
	--version) echo "$name (GCC) 12.2.0"; exit 0 ;;
	-print-*) echo; exit 0 ;;
	-E | -M | -MM) exit 0 ;;
	-c | -S) compile=1 ;;
	-MD | -MMD) auto=1 ;;
	-o?*) out=${arg#-o} ;;
	*.c | *.s | *.S) [ "$prev" = -o ] || objects="$objects $(basename "${arg%.*}").o" ;;
	esac
	prev=$arg
	last=$arg
done
case $name in
*-size | *-nm | *-objdump | *-readelf | *-ranlib | *-strip | *-gdb) exit 0 ;;
*-objcopy) out=$last ;;
*-ar)
	for arg in "$@"; do case $arg in *.a) out=$arg ;; esac; done
	;;
*)
	if [ -z "$out" ] && [ -n "$compile" ]; then
		for o in $objects; do : >"$o"; done
		exit 0
	fi
	;;
esac
[ -n "$out" ] || out=a.out
: >"$out" || exit 1
case $name in # a build may run what it linked: an empty script does nothing
*-ar | *-objcopy) ;;
*) [ -n "$compile" ] || chmod +x "$out" ;;
esac
if [ -n "$dep" ]; then : >"$dep"; elif [ -n "$auto" ]; then : >"${out%.*}.d"; fi
exit 0
