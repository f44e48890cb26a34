package adopt

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	// an inclusion of a header that the compilers of one target have alone
	ownHeader = regexp.MustCompile(`(?m)^\s*#\s*include\s*[<"](avr|msp430)(?:/|\w*\.h)`)
	// an inclusion of a header of CMSIS or of the maker of a chip, which has the processor or the chip in its name
	chipHeader = regexp.MustCompile(`(?m)^\s*#\s*include\s*[<"](?:\w+/)*(?:core_c(m\d+)(?:plus)?|(\w+))\.h[>"]`)
	// the definition of a function with a name that vector tables of Cortex-M have
	cortexHandler = regexp.MustCompile(`(?m)^\s*(?:__\w+\s+)*void\s+(?:\w+_IRQHandler|` +
		`(?:NMI|HardFault|MemManage|BusFault|UsageFault|SVC|PendSV|SysTick)_Handler)\s*\(\s*(?:void)?\s*\)\s*\{`)
	posixHeader = regexp.MustCompile(
		`(?m)^\s*#\s*include\s*<(?:sys/(?:socket|mman|wait|ioctl)|unistd|pthread|termios)\.h>`)
)

// deviceOf returns the target that a C file is for by the headers that it includes, "" where they say nothing.
func deviceOf(text []byte) string {
	if m := ownHeader.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	for _, m := range chipHeader.FindAllSubmatch(text, -1) {
		words := string(m[2])
		if len(m[1]) > 0 {
			words = "cortex-" + string(m[1])
		}
		if t := processorOf(words); t != "" {
			return t
		}
	}
	return ""
}

// device returns the target that the C files themselves are for, "" where they say nothing, and why.
func (s *Survey) device() (target, why string) {
	for _, name := range slices.Sorted(maps.Keys(s.devices)) {
		if 2*s.devices[name] >= len(s.sources) {
			return name, "most of the C files include headers of its chips"
		}
	}
	if len(s.handlers) == 0 || s.posix {
		return "", ""
	}
	best, other := "cortex-m3", ""
	for _, name := range slices.Sorted(maps.Keys(s.devices)) {
		switch {
		case !strings.HasPrefix(name, "cortex-m"):
			if s.devices[name] > s.devices[other] {
				other = name
			}
		case s.devices[name] > s.devices[best]:
			best = name
		}
	}
	if s.devices[other] > max(s.devices[best], len(s.handlers)) {
		return other, "more of the C files include headers of its chips than there are for other chips"
	}
	return best, "interrupt handlers with the names of a Cortex-M in " + some(s.handlers)
}
