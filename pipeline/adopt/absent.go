package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/headers"
)

// absent is headers that files do not compile without, and that neither the tree nor the compiler has.
type absent struct {
	files   []string // that do not compile for it
	headers []string // the most included first
}

// absentHeaders returns what is absent of the headers that units include; a part of missing may stand under a condition.
func absentHeaders(units []compile.Attempt, missing []headers.Missing) absent {
	var a absent
	count := map[string]int{}
	for _, u := range units {
		if name, ok := compile.MissingHeader(u.Err); ok {
			a.files = append(a.files, u.File)
			count[name]++
		}
	}
	if len(a.files) == 0 {
		return absent{}
	}
	from := map[string]int{}
	for _, m := range missing {
		if who, _ := headers.Provider(m.Name); who != "" || count[m.Name] > 0 {
			from[m.Name]++
		}
	}
	for name := range count {
		from[name] += count[name]
	}
	for name := range from {
		a.headers = append(a.headers, name)
	}
	slices.SortFunc(a.headers, func(x, y string) int {
		if d := from[y] - from[x]; d != 0 {
			return d
		}
		return strings.Compare(x, y)
	})
	return a
}

// advice says which headers are absent and how they come here; "": none.
func (a absent) advice() string {
	if len(a.headers) == 0 {
		return ""
	}
	byProvider := map[string][]string{}
	var order, said []string
	for _, h := range a.headers {
		who, how := headers.Provider(h)
		switch {
		case who == "":
			who = "not known whose"
		case how != "":
			who = "of " + who + ": " + how
		default:
			who = "of " + who
		}
		if byProvider[who] == nil {
			order = append(order, who)
		}
		byProvider[who] = append(byProvider[who], h)
	}
	for _, who := range order {
		said = append(said, fmt.Sprintf("%s (%s)", first(byProvider[who], 5), who))
	}
	files := "1 file includes"
	if n := len(a.files); n != 1 {
		files = fmt.Sprintf("%d files include", n)
	}
	return fmt.Sprintf("%s headers that this tree does not have: %s. Once they are here, "+
		"`firmproof init --force` takes the files in; `build.include` names folders elsewhere", files,
		strings.Join(said, "; "))
}
