package moved

import (
	"regexp"
	"strconv"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

var byOrdinal = regexp.MustCompile(`^([a-z-]+)@(.+)#([0-9]{1,5})$`)

// ClaimID returns the ID of the claim that id means: `memory@ring_push#2` is the second claim of `memory`
// in ring_push as it stands in m, and likewise of one way to violate it (verdict.WayID). Every other id means itself.
func ClaimID(m *ir.Module, id string) string {
	site := verdict.Site(id)
	parts := byOrdinal.FindStringSubmatch(site)
	if parts == nil || m == nil {
		return id
	}
	check := verdict.Check(parts[1])
	n, _ := strconv.Atoi(parts[3]) // digits only
	for _, c := range encode.ListClaims(m, verdict.CheckSet{check: true}, ir.LeakFreed,
		func(b *ir.Block) bool { return b.Func.Name == parts[2] }) {
		if n--; n == 0 {
			return c.ID + id[len(site):]
		}
	}
	return id
}
