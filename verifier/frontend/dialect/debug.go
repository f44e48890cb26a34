package dialect

import (
	"fmt"
	"slices"
	"strings"
)

// fields are those that specialised nodes have in LLVM 14 (LangRef: Specialized Metadata Nodes); others say nothing
// that package frontend reads.
var fields = strings.Fields(`align: allocated: annotations: apinotes: arg: associated: attributes: baseType: cc:
	checksum: checksumkind: column: configMacros: containingType: count: dataLocation: debugBaseAddress:
	debugInfoForProfiling: declaration: defaulted: directory: discriminator: dwarfAddressSpace: dwoId: elements:
	emissionKind: encoding: entity: enums: exportSymbols: expr: extraData: file: filename: flags: getter: globals:
	header: identifier: imports: includePath: inlinedAt: isDecl: isDefinition: isImplicitCode: isLocal: isOptimized:
	isUnsigned: language: line: linkageName: lowerBound: macros: name: nameTableKind: nodes: offset: operands:
	producer: rangesBaseAddress: rank: retainedNodes: retainedTypes: runtimeLang: runtimeVersion: scope: scopeLine:
	sdk: setter: size: source: spFlags: splitDebugFilename: splitDebugInlining: stride: stringLength:
	stringLengthExpression: stringLocationExpression: sysroot: tag: templateParams: thisAdjustment: thrownTypes: type:
	types: unit: upperBound: value: var: virtualIndex: virtuality: vtableHolder:`)

var isField = func() map[string]bool {
	out := map[string]bool{}
	for _, f := range fields {
		out[f] = true
	}
	return out
}()

// metadata leaves fields out that LLVM 14 does not have, and gives a variable without a name the empty one.
func (n *normaliser) metadata(ts []token) ([]token, bool) {
	changed := false
	for i := 0; i+1 < len(ts); i++ {
		if ts[i].kind != node || !strings.HasPrefix(ts[i].text, "!DI") || !ts[i+1].is("(") {
			continue
		}
		of, end := ts[i].text, closing(ts, i+1)
		if of == "!DIAssignID" { // it links assignments to variables, for debuggers
			ts, changed = slices.Replace(ts, i, end+1, lex(ts[i].before+"!{}")...), true
			continue
		}
		named := false
		for k := i + 2; k < end; k++ {
			if ts[k].kind != label {
				continue
			}
			named = named || ts[k].text == "name:"
			if isField[ts[k].text] && !(of == "!DILabel" && ts[k].text == "column:") {
				continue
			}
			stop := k + 1
			for stop < end && !ts[stop].is(",") {
				if ts[stop].is("(") || ts[stop].is("{") {
					stop = closing(ts, stop)
				}
				stop++
			}
			if stop < end { // with the comma behind it
				stop++
			} else if ts[k-1].is(",") {
				k--
			}
			if k == i+2 && stop < end {
				ts[stop].before = ts[k].before
			}
			ts = slices.Delete(ts, k, stop)
			end -= stop - k
			k--
			changed = true
		}
		if of == "!DIGlobalVariable" && !named {
			ts, changed = slices.Insert(ts, i+2, lex(`name: "", `)...), true
		}
		i = i + 1
	}
	return ts, changed
}

// record writes a debug record as the call that LLVM 14 has (LangRef: Source Level Debugging, Debug Records). That an
// assignment to a variable is tracked says nothing that package frontend reads.
func (n *normaliser) record(ts []token) string {
	if len(ts) < 3 || !ts[1].is("(") {
		return join(ts)
	}
	args := split(ts[2:closing(ts, 1)])
	where := bare(args[len(args)-1])
	var operands []string
	for _, a := range args[:len(args)-1] {
		a, _ = n.gepFlags(slices.Clone(a), false) // what is inserted must not move the next operand
		a, _ = n.constants(a)
		a, _ = n.pointers(a)
		operands = append(operands, "metadata "+bare(a))
	}
	kind := strings.TrimPrefix(ts[0].text, "#dbg_")
	switch kind {
	case "declare", "value", "label":
	default:
		return ""
	}
	callee := "@llvm.dbg." + kind
	if !n.known[callee] {
		n.known[callee] = true
		params := strings.TrimSuffix(strings.Repeat("metadata, ", len(operands)), ", ")
		n.declared = append(n.declared, fmt.Sprintf("declare void %s(%s)", callee, params))
	}
	return fmt.Sprintf("  call void %s(%s), !dbg %s", callee, strings.Join(operands, ", "), where)
}
