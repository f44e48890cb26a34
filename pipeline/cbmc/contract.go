package cbmc

import (
	"bytes"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/contract"
)

// contracts reads which contracts a proof uses: FUNCTION or FUNCTION/CONTRACT.
func contracts(words map[string][]string) *contract.Options {
	o := &contract.Options{Check: map[string]string{}, Recursive: map[string]bool{}, Replace: map[string]string{},
		Loops: len(words["APPLY_LOOP_CONTRACTS"]) > 0}
	read := func(list []string, into map[string]string) {
		for _, w := range list {
			fn, c, ok := strings.Cut(w, "/")
			if !ok {
				c = fn
			}
			into[fn] = c
		}
	}
	read(words["CHECK_FUNCTION_CONTRACTS"], o.Check)
	read(words["CHECK_FUNCTION_CONTRACTS_REC"], o.Check)
	read(words["USE_FUNCTION_CONTRACTS"], o.Replace)
	for _, w := range words["CHECK_FUNCTION_CONTRACTS_REC"] {
		fn, _, _ := strings.Cut(w, "/")
		o.Recursive[fn] = true
	}
	if n, err := strconv.Atoi(strings.Join(words["CBMC_OBJECT_BITS"], "")); err == nil {
		o.ObjectBits = n
	}
	if len(o.Check) == 0 && len(o.Replace) == 0 && !o.Loops {
		return nil
	}
	o.Aliases = func(file, fn string) []string { return []string{Mangled(file, fn)} }
	return o
}

// redirect makes the calls of functions with contracts go to the functions that stand
// for them, in the IR of one unit.
func redirect(ir []byte, o *contract.Options) []byte {
	if o == nil {
		return ir
	}
	renamed := map[string]string{}
	for fn := range o.Check {
		renamed["@"+fn] = "@" + contract.CheckName(fn)
	}
	for fn := range o.Replace {
		if renamed["@"+fn] == "" {
			renamed["@"+fn] = "@" + contract.UseName(fn)
		}
	}
	heads := map[string]string{} // of the functions as they were
	var body bytes.Buffer
	for _, line := range bytes.SplitAfter(ir, []byte("\n")) {
		text := string(line)
		m := globalHead.FindStringSubmatch(text)
		if m == nil || renamed["@"+m[3]] == "" {
			body.Write(symbol.ReplaceAllFunc(line, func(s []byte) []byte {
				if to := renamed[string(s)]; to != "" {
					return []byte(to)
				}
				return s
			}))
			continue
		}
		heads[m[3]] = "declare " + linkage.ReplaceAllString(m[2], "") + renamed["@"+m[3]] + "(" +
			parameters(text[len(m[0]):]) + "\n"
		if m[1] == "define" { // the body keeps its place under another name
			own := strings.Replace(text, "@"+m[3]+"(", "@"+contract.BodyName(m[3])+"(", 1)
			body.WriteString(own)
		}
	}
	return declared(body.Bytes(), renamed, heads)
}

var globalHead = regexp.MustCompile(`^(define|declare) ([^@\n]*)@([\w.$-]+)\(`)

// declared drops declarations of what the unit defines, and adds those that it lacks.
func declared(ir []byte, renamed, heads map[string]string) []byte {
	defined := map[string]bool{}
	for _, m := range definition.FindAllSubmatch(ir, -1) {
		defined[string(m[2])] = true
	}
	var out bytes.Buffer
	for _, line := range bytes.SplitAfter(ir, []byte("\n")) {
		m := globalHead.FindSubmatch(line)
		if m != nil && string(m[1]) == "declare" {
			if defined[string(m[3])] {
				continue
			}
			defined[string(m[3])] = true
		}
		out.Write(line)
	}
	var names []string
	for fn := range heads {
		if to := strings.TrimPrefix(renamed["@"+fn], "@"); !defined[to] {
			names = append(names, fn)
		}
	}
	sort.Strings(names)
	for _, fn := range names {
		out.WriteString(heads[fn])
	}
	return out.Bytes()
}

// withoutContract names the functions whose contract no source has.
func withoutContract(img *compile.Image) []string {
	var out []string
	for _, name := range img.Declared {
		if fn, ok := contract.Stands(name); ok {
			out = append(out, fn)
		}
	}
	return out
}

// ContractNotes returns the assumptions that the contracts in use make.
func (p *Proof) ContractNotes() []string {
	if p.Contracts == nil {
		return nil
	}
	var out []string
	names := make([]string, 0, len(p.Contracts.Replace))
	for fn := range p.Contracts.Replace {
		names = append(names, fn)
	}
	sort.Strings(names)
	for _, fn := range names {
		out = append(out, fn+" does what its contract says (USE_FUNCTION_CONTRACTS)")
	}
	return out
}
