package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestComparisonsWait: what functions do is compared when the rest of a run is over, in a third of the time that this took,
// and what gets none says so; those that have to do the same are compared at once, and all are for who asks anew.
func TestComparisonsWait(t *testing.T) {
	b := newBench(t)
	base := b.commit(benchManifest + "unchanged: ['f[01]']\n")
	head := b.commit(benchManifest + "unchanged: ['f[01]']\n# changed\n")
	b.build = func(_ context.Context, req Request) (*Built, error) {
		bodies := prepare.Bodies{Code: map[string]string{}, Turns: map[string]int{}}
		for i := range 8 {
			name := fmt.Sprint("f", i)
			bodies.Names, bodies.Turns[name] = append(bodies.Names, name), 8-i
			bodies.Code[name] = filepath.Base(filepath.Dir(req.Dir)) // of the head and the base, not the same
		}
		plan := verifier.Plan{Target: req.Target, Entry: "main"}
		return &Built{Jobs: []prepare.Job{{Plan: plan, Timeout: time.Minute}}, Outlines: map[string]*prepare.Outline{req.Target: {}},
				Versions: map[string]*prepare.Version{req.Target: {Plan: plan, Bodies: bodies}}},
			os.WriteFile(filepath.Join(req.Scratch, prepare.VersionFile), []byte(req.Dir), 0o600)
	}
	b.git("update-ref", "refs/pull/7/head", head)
	verified := 0
	b.check = func(_ context.Context, t Task) (*verdict.Result, error) {
		res := proved(t)
		b.mu.Lock()
		defer b.mu.Unlock()
		p := t.Job.Pair
		switch {
		case p == nil:
			verified++
			res.ProcessorMS = 3000
			return res, nil
		case !p.Needed && verified != 2:
			return nil, fmt.Errorf("%s is compared after %d answers", p.New, verified)
		case !p.Needed && t.Job.Timeout > time.Second || p.Needed && t.Job.Timeout < time.Second:
			return nil, fmt.Errorf("%s has %s", p.New, t.Job.Timeout)
		}
		res.ProcessorMS, res.Change = 500, &verdict.Change{Behaviour: &verdict.Comparison{Function: p.New, Status: verdict.Same}}
		return res, nil
	}
	for _, c := range []struct{ trigger, want string }{
		{"pull_request", "f0 f1 f6 f7"}, {"command", "f0 f1 f2 f3 f4 f5 f6 f7"},
	} {
		verified = 0
		b.write(func(tx store.Tx) error {
			_, err := tx.PutPull(context.Background(), store.Pull{Repo: 1, Number: 7, State: "open", HeadSHA: head, BaseSHA: base,
				BaseRef: "main"})
			return err
		})
		b.begin(store.Run{Repo: 1, Installation: 2, Pull: 7, HeadSHA: head, BaseSHA: base, BaseRef: "main",
			Ref: "refs/pull/7/head", Trigger: c.trigger})
		agg, kids := b.await()
		if agg.Conclusion != "success" || len(kids) != 1 {
			t.Fatalf("%s: %+v %+v", c.trigger, agg, kids)
		}
		var known Context
		if err := b.st.Read(context.Background(), func(tx store.Tx) error {
			_, err := tx.Report(context.Background(), kids[0].ID, &known)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		var same, none []string
		for _, x := range known.Behaviour.Comparisons {
			switch x.Status {
			case verdict.Same:
				same = append(same, x.Function)
			case verdict.NotCompared:
				none = append(none, x.Function)
			default:
				t.Errorf("%s: %s is %s: %+v", c.trigger, x.Function, x.Status, x.Reason)
			}
		}
		if got := strings.Join(same, " "); got != c.want || len(same)+len(none) != 8 {
			t.Errorf("%s: compared are %s and not %v, want %s", c.trigger, got, none, c.want)
		}
	}
}
