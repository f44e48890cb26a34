package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/pipeline/ctoken"
)

// singleConstants is GCC's flag by which floating constants without a suffix are float.
const singleConstants = "-fsingle-precision-constant"

// clangSingleConstants makes such constants float, but where C converts one to double at once: there, clang leaves
// out both conversions, so that 0.1 keeps the digits that a float does not hold.
const clangSingleConstants = "-cl-single-precision-constant"

// token matches what may hold a number, or something that looks like one and is none: literals, names, numbers.
var token = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*`)

// wideConstants returns a diagnostic for each floating constant of the unit's text that clangSingleConstants may take
// for another value than GCC does: those without a suffix that no float equals.
func (r *Request) wideConstants(text []byte) []Diagnostic {
	if !slices.Contains(r.CFlags, singleConstants) {
		return nil
	}
	var out []Diagnostic
	file, line := r.File, 1
	for l := range strings.Lines(string(text)) {
		if name, n, ok := ctoken.LineMarker([]byte(l)); ok {
			file, line = name, n
			continue
		}
		for _, t := range token.FindAllString(l, -1) {
			if isWide(t) {
				out = append(out, Diagnostic{File: r.shown(file), Line: line, Message: fmt.Sprintf(
					"%s is a float by %s, and clang may take it for a double: write %[1]sf", t, singleConstants)})
			}
		}
		line++
	}
	return out
}

// isWide reports a floating constant without a suffix that no float equals.
func isWide(t string) bool {
	if t[0] != '.' && (t[0] < '0' || t[0] > '9') || !strings.ContainsAny(t, ".eEpP") {
		return false
	}
	if hex := strings.HasPrefix(strings.ToLower(t), "0x"); hex != strings.ContainsAny(t, "pP") {
		return false
	}
	v, err := strconv.ParseFloat(t, 64)
	return err == nil && float64(float32(v)) != v
}
