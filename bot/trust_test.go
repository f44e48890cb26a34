package bot

import (
	"testing"

	"github.com/firmproof/firmproof/pipeline/store"
)

// TestTrusted: who belongs to the repository is trusted, who contributed once is not, an
// approval counts for its commit.
func TestTrusted(t *testing.T) {
	for _, c := range []struct {
		association, approved string
		contributors, want    bool
	}{{"OWNER", "", false, true}, {"MEMBER", "", false, true}, {"COLLABORATOR", "", false, true},
		{"CONTRIBUTOR", "", false, false}, {"CONTRIBUTOR", "", true, true}, {"FIRST_TIME_CONTRIBUTOR", "", true, false},
		{"NONE", "", true, false}, {"NONE", "head", false, true}, {"NONE", "older", false, false}} {
		s := &Server{cfg: Config{TrustContributors: c.contributors}}
		if got := s.trusted(store.Pull{Association: c.association, HeadSHA: "head",
			ApprovedSHA: c.approved}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
