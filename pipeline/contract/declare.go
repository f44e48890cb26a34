package contract

// clause is one clause of a contract: the tokens inside its parentheses.
type clause struct {
	at, lo, hi int
}

type clausesByKind map[string][]clause

// function is a declaration or definition with a contract.
type function struct {
	name         string
	head, params int // where the declaration begins; the parenthesis of the parameters
	names        []string
	clauses      clausesByKind
}

var functionClauses = map[string]string{
	"__CPROVER_requires": "requires", "__CPROVER_ensures": "ensures", "__CPROVER_assigns": "assigns",
	"__CPROVER_frees":             "frees",
	"__CPROVER_requires_contract": "requires_contract", "__CPROVER_ensures_contract": "ensures_contract",
}

var loopClauses = map[string]string{
	"__CPROVER_loop_invariant": "invariant", "__CPROVER_decreases": "decreases", "__CPROVER_assigns": "assigns",
	"__CPROVER_loop_assigns": "assigns",
	"__CPROVER_frees":        "frees",
}

// declarations walks the external declarations (C17 6.9): contracts, and functions.
func (r *rewriter) declarations() {
	start := 0
	for i := 0; i < len(r.toks); i++ {
		switch t := r.toks[i].text; {
		case functionClauses[t] != "" && i > 0 && r.toks[i-1].text == ")":
			i = r.contract(start, i) - 1
		case t == "(" || t == "[":
			if r.mate[i] > i {
				i = r.mate[i]
			}
		case t == ";":
			r.uninterpretedDeclaration(start, i)
			start = i + 1
		case t == "{" && r.mate[i] > i:
			if i > 0 && r.toks[i-1].text == ")" {
				r.definition(start, i)
				start = r.mate[i] + 1
			}
			i = r.mate[i]
		}
	}
}

// contract reads the clauses from token i on; it gives where they end.
func (r *rewriter) contract(start, i int) int {
	first := i
	f := &function{head: start, clauses: clausesByKind{}}
	for i < len(r.toks) && functionClauses[r.toks[i].text] != "" {
		open := i + 1
		if open >= len(r.toks) || r.toks[open].text != "(" || r.mate[open] < 0 {
			r.fail(i, "%s has no parenthesis", r.toks[i].text)
			return i + 1
		}
		kind := functionClauses[r.toks[i].text]
		f.clauses[kind] = append(f.clauses[kind], clause{i, open + 1, r.mate[open]})
		i = r.mate[open] + 1
	}
	end := i
	r.at[first] = &region{end: end, text: func() string { return r.lines(first, end) }}
	f.name, f.params = r.declarator(start, first)
	if f.params > 0 {
		f.names = r.parameterNames(f.params)
	}
	r.funcs = append(r.funcs, f)
	return end
}

// lines keeps the line breaks of what is left out.
func (r *rewriter) lines(lo, hi int) string {
	if hi >= len(r.toks) {
		return ""
	}
	return r.resume(hi)
}

// declarator finds the name of the function declared by the tokens lo..hi-1 and the
// parenthesis of its parameters; 0 if there is none of that shape.
func (r *rewriter) declarator(lo, hi int) (string, int) {
	for hi > lo+1 && r.toks[hi-1].text == ")" {
		open := r.mate[hi-1]
		if open <= lo {
			return "", 0
		}
		prev := r.toks[open-1]
		if !prev.isWord() {
			return "", 0
		}
		if prev.text != "__attribute__" && prev.text != "__asm__" && prev.text != "__asm" {
			return prev.text, open
		}
		hi = open - 1
	}
	return "", 0
}

// definition notes the function whose body begins at brace i.
func (r *rewriter) definition(start, i int) {
	end := i
	for at, reg := range r.at {
		if reg.end == i && at >= start {
			end = at
		}
	}
	name, params := r.declarator(start, end)
	if params == 0 {
		return
	}
	r.known[name] = true
	r.preds[name] = &predicate{name: name, head: start, params: params, body: i, names: r.parameterNames(params),
		lifted: map[string]bool{}}
}

// parameterNames are the names of the parameters in the parenthesis at open, "" for
// one without; none for (void).
func (r *rewriter) parameterNames(open int) []string {
	var out []string
	for _, a := range r.arguments(open) {
		if a[1]-a[0] == 1 && r.toks[a[0]].text == "void" {
			return nil
		}
		out = append(out, r.parameterName(a[0], a[1]))
	}
	return out
}

func (r *rewriter) parameterName(lo, hi int) string {
	for i := lo; i < hi; i++ { // a function pointer: T (*name)(...)
		if r.toks[i].text == "(" && r.toks[i+1].text == "*" && r.mate[i] > 0 {
			for k := i + 1; k < r.mate[i]; k++ {
				if r.toks[k].isWord() && r.toks[k].text != "const" && r.toks[k].text != "volatile" {
					return r.toks[k].text
				}
			}
		}
	}
	words, name := 0, ""
	for i := lo; i < hi && r.toks[i].text != "["; i++ {
		if m := r.mate[i]; m > i { // an attribute
			i = m
			continue
		}
		if r.toks[i].isWord() {
			words++
			name = r.toks[i].text
		}
		if r.toks[i].text == "*" {
			name, words = "", max(words, 1)
		}
	}
	if words < 2 {
		return ""
	}
	return name
}
