package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/reports"
)

// failOn returns what the manifests of the folders say under report.fail_on: only violations
// fail if all of them say so, vacuous answers if any does.
func failOn(args []string) string {
	if len(args) == 0 {
		args = []string{"."}
	}
	most, vacuous := "violation", ""
	for _, dir := range args {
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			return "unknown" // files have no manifest
		}
		dir, err := manifest.Above(dir)
		if err != nil {
			return "unknown"
		}
		m, err := manifest.Read(dir)
		if err != nil || !m.Report.FailOnGiven || !onlyViolations(m.Report.FailOn) {
			most = "unknown"
		}
		if err == nil && m.Report.FailOnGiven && reports.FailsOn(m.Report.FailOn, "vacuous") {
			vacuous = ",vacuous"
		}
	}
	return most + vacuous
}

// onlyViolations reports whether the words of a fail_on leave unknowns out.
func onlyViolations(failOn string) bool {
	return reports.FailsOn(failOn, "violation") && !reports.FailsOn(failOn, "unknown")
}

// parseUnwindSet reads FUNC.LOOP:N and FILE:LINE:N.
func parseUnwindSet(list []string) (map[string]int, error) {
	out := map[string]int{}
	for _, s := range list {
		i := strings.LastIndexByte(s, ':')
		n, err := 0, error(nil)
		if i > 0 {
			n, err = strconv.Atoi(s[i+1:])
		}
		if i <= 0 || err != nil || n < 0 {
			return nil, fmt.Errorf("--unwindset %q: want FUNC.LOOP:N or FILE:LINE:N", s)
		}
		out[s[:i]] = n
	}
	return out, nil
}

// parseStubs reads FUNC=KIND, and FUNC for FUNC=havoc.
func parseStubs(list []string) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range list {
		name, kind, said := strings.Cut(s, "=")
		if !said {
			kind = "havoc"
		}
		if name == "" || kind != "havoc" && kind != "nondet" {
			return nil, fmt.Errorf("--stub %q: want FUNC=nondet or FUNC=havoc, or *=havoc", s)
		}
		out[name] = kind
	}
	return out, nil
}

// parseAssume reads FUNCTION.ARGUMENT=TEXT, or a line of a manifest, as messages have it: FUNCTION.ARGUMENT: TEXT.
// What is said of one place is joined.
func parseAssume(list []string) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range list {
		place, text, said := strings.Cut(s, ": ")
		if !said {
			place, text, said = strings.Cut(s, "=")
		}
		if !said || !strings.Contains(place, ".") && text != manifest.OneBlock {
			return nil, fmt.Errorf("--assume %q: want FUNCTION.ARGUMENT=TEXT, such as ring_put.data='16 elements'", s)
		}
		if out[place] != "" {
			text = out[place] + ", " + text
		}
		out[place] = text
	}
	return out, nil
}

// parseSize reads 512M, 2G or plain bytes.
func parseSize(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	unit := int64(1)
	digits := strings.TrimRight(strings.ToUpper(strings.TrimSuffix(s, "B")), "KMGI")
	switch rest := strings.ToUpper(s[len(digits):]); {
	case strings.HasPrefix(rest, "K"):
		unit = 1 << 10
	case strings.HasPrefix(rest, "M"):
		unit = 1 << 20
	case strings.HasPrefix(rest, "G"):
		unit = 1 << 30
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("--memory %q: want a size such as 512M or 2G", s)
	}
	return n * unit, nil
}
