package compile

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
)

// unsignedFields is the flag that makes bit-fields unsigned whose declaration says neither. clang has it not, so that a
// unit is refused that has such a bit-field.
const unsignedFields = "-funsigned-bitfields"

var (
	bitFieldLine = regexp.MustCompile(
		`(?m)^!\d+ = .*DW_TAG_member, name: "([^"]*)".*baseType: (!\d+), .*DIFlagBitField`)
	fileLine  = regexp.MustCompile(`(?m)` + fileRE.String())
	typeLine  = regexp.MustCompile(`(?m)^(!\d+) = .*!DI(?:Basic|Derived)Type\((.*)\)$`)
	typeName  = regexp.MustCompile(`^tag: DW_TAG_typedef, name: "([^"]*)"`)
	typeBase  = regexp.MustCompile(`\bbaseType: (!\d+)`)
	fixedType = regexp.MustCompile(`^_*int(_(least|fast))?\d+_t$`) // declared with signed
	isSigned  = regexp.MustCompile(`encoding: DW_ATE_signed(_char)?\b`)
)

// checkFields refuses IR with signed bit-fields that may have been declared without signed, where unsignedFields asks
// for unsigned ones.
func (r *Request) checkFields(path string) error {
	if !slices.Contains(r.CFlags, unsignedFields) {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return &InfraError{"compile " + r.File, err}
	}
	types := map[string]string{}
	for _, m := range typeLine.FindAllStringSubmatch(string(text), -1) {
		types[m[1]] = m[2]
	}
	for _, m := range bitFieldLine.FindAllStringSubmatch(string(text), -1) {
		if !plainSigned(types, m[2]) {
			continue
		}
		file, line := declaredAt(text, m[0])
		if file == "" {
			file = r.File
		}
		return &BuildError{Stage: "compile", Target: r.Target.Name, Diagnostics: []Diagnostic{{File: r.shown(file),
			Line: line, Message: fmt.Sprintf("%s makes the bit-field %q unsigned, which clang does not follow: "+
				"declare it unsigned (or take the flag away)", unsignedFields, m[1])}}}
	}
	return nil
}

// declaredAt returns the file and line of a line of debug information; empty and 0 where it does not say.
func declaredAt(text []byte, info string) (file string, line int) {
	if m := fieldLine.FindStringSubmatch(info); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	m := fieldFile.FindStringSubmatch(info)
	if m == nil {
		return "", line
	}
	for _, f := range fileLine.FindAllSubmatch(text, -1) {
		if string(f[1]) == m[1] {
			return joinDebugPath(string(f[3]), string(f[2])), line
		}
	}
	return "", line
}

// plainSigned reports whether a type of debug information is signed, and no type of <stdint.h>.
func plainSigned(types map[string]string, id string) bool {
	for range len(types) {
		t := types[id]
		if m := typeName.FindStringSubmatch(t); m != nil && fixedType.MatchString(m[1]) {
			return false
		}
		base := typeBase.FindStringSubmatch(t)
		if base == nil {
			return isSigned.MatchString(t)
		}
		id = base[1]
	}
	return false
}
