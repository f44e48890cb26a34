package main

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/pipeline/store/pgtest"
)

// load holds what an organisation asks for in its busiest hour, and what answers it.
type load struct {
	repos, machines, workers int // workers: of one machine
	pushes                   float64
	targets, harnesses       int
	reused                   float64       // share of verifications whose answer is known
	build, verify            time.Duration // medians
	buildSpread, spread      float64       // of the logarithms of these times: lognormal service
	longest                  time.Duration // limit of a verification
	// of one verification, one after the other, of one that past times call short, and for each other repository that waits
	claim, claimShort, crowd time.Duration
}

// shortTime is how long those at most take that are claimed together (pipeline/store/turns.go).
const shortTime = 50 * time.Millisecond

// usual is a repository's busiest hour: two pushes, three targets, twelve harnesses. The medians are
// measured ones (docs/scale.md).
func usual(repos, machines int) load {
	return load{repos: repos, machines: machines, workers: 4, pushes: 2, targets: 3, harnesses: 12, reused: 0.8,
		build: 4 * time.Second, buildSpread: 0.8, verify: 250 * time.Millisecond, spread: 1.7, longest: time.Minute}
}

// servers are equal ones behind one queue, by when they are free, in seconds.
type servers []float64

func (s servers) Len() int           { return len(s) }
func (s servers) Less(i, j int) bool { return s[i] < s[j] }
func (s servers) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

// Push implements heap.Interface.
func (s *servers) Push(x any) { *s = append(*s, x.(float64)) }

// Pop implements heap.Interface.
func (s *servers) Pop() any { panic("never called: the number of servers is fixed") }

// serve begins a job of so many seconds that is there at a moment, and gives when it begins and ends.
func (s *servers) serve(at, seconds float64) (begin, end float64) {
	begin = max(at, (*s)[0])
	(*s)[0] = begin + seconds
	heap.Fix(s, 0)
	return begin, begin + seconds
}

// outcome holds what a simulated day of busiest hours shows.
type outcome struct {
	busy, building   float64 // shares of the time that workers verify, and slots build
	waits, answers   []time.Duration
	claiming         float64 // share of the time that claims are made
	tasks            int
	serviceMean, cv2 float64 // of verifications: seconds, squared coefficient of variation
}

// simulate plays hours of the load. Whose turn it is changes who waits, not how long on average.
func simulate(l load, hours float64, seed uint64) outcome {
	r := rand.New(rand.NewPCG(seed, 1))
	draw := func(median time.Duration, spread float64) float64 {
		return min(median.Seconds()*math.Exp(spread*r.NormFloat64()), l.longest.Seconds())
	}
	var o outcome
	builders := make(servers, l.machines*max(2, l.workers/2))
	verifiers := make(servers, l.machines*l.workers)
	type task struct {
		run   int
		ready float64
	}
	var tasks []task
	var pushed, ended []float64
	rate := float64(l.repos) * l.pushes / 3600
	o.claiming = rate * float64(1+l.targets) * l.claim.Seconds() // by plans and builds, which the others find the lock taken by
	free := 1 - min(o.claiming, 0.99)
	claims := make(servers, 1) // under one lock
	locked := func(at float64, cost time.Duration) float64 {
		wait := max(0, claims[0]-at) // whoever waits longer has at most so many before them
		seconds := cost.Seconds()/free + l.crowd.Seconds()*min(wait/max(cost.Seconds(), 1e-6), float64(l.repos))
		_, end := claims.serve(at, seconds)
		o.claiming += cost.Seconds() / (hours * 3600)
		return end
	}
	for at := r.ExpFloat64() / rate; at < hours*3600; at += r.ExpFloat64() / rate {
		for range l.targets {
			s := draw(l.build, l.buildSpread)
			_, built := builders.serve(at, l.claim.Seconds()+s)
			o.building += s / (hours * 3600 * float64(len(builders)))
			for range l.harnesses {
				if r.Float64() >= l.reused {
					tasks = append(tasks, task{len(pushed), built})
				}
			}
			if len(ended) == len(pushed) {
				ended = append(ended, built)
			}
			ended[len(pushed)] = max(ended[len(pushed)], built)
		}
		pushed = append(pushed, at)
	}
	slices.SortFunc(tasks, func(a, b task) int { return cmp.Compare(a.ready, b.ready) })
	work, squares := 0.0, 0.0
	for _, t := range tasks {
		s := draw(l.verify, l.spread)
		cost := l.claim
		if s <= shortTime.Seconds() {
			cost = l.claimShort
		}
		begin, end := verifiers.serve(locked(t.ready, cost), s)
		work, squares = work+s, squares+s*s
		o.waits = append(o.waits, seconds(begin-t.ready))
		ended[t.run] = max(ended[t.run], end)
	}
	for i, at := range pushed {
		o.answers = append(o.answers, seconds(ended[i]-at))
	}
	n := float64(len(tasks))
	o.tasks, o.serviceMean = len(tasks), work/n
	o.cv2 = squares/n/(o.serviceMean*o.serviceMean) - 1
	o.busy = work / (hours * 3600 * float64(len(verifiers)))
	slices.Sort(o.waits)
	slices.Sort(o.answers)
	return o
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// erlangWait is the mean wait in an M/G/c queue by Allen and Cunneen: Erlang's C, scaled by how much
// service times vary. rate is of arrivals in a second.
func erlangWait(rate, service, cv2 float64, c int) float64 {
	a := rate * service
	if a >= float64(c) {
		return math.Inf(1)
	}
	b := 1.0 // Erlang's B, server by server
	for k := 1; k <= c; k++ {
		b = a * b / (float64(k) + a*b)
	}
	rho := a / float64(c)
	wait := b / (1 - rho*(1-b))
	return wait * service / (float64(c) * (1 - rho)) * (1 + cv2) / 2
}

// capacity measures what a claim costs PostgreSQL, and simulates what organisations need.
func capacity(ctx context.Context, _ *options) error {
	const few, many = 4, 2000
	cost, end, err := claimCost(ctx, 20*shortTime, few)
	if err != nil {
		return err
	}
	most, _, err := claimCost(ctx, 20*shortTime, many)
	if err != nil {
		return err
	}
	small, _, err := claimCost(ctx, shortTime/10, few)
	if err != nil {
		return err
	}
	crowd := max(0, most-cost) / (many - few)
	fmt.Printf("capacity: a verification costs the database %s for its claim, and %s for each repository that waits beside; a short one %s. Its end costs %s. Claims are made one at a time: at most %.0f, or %.0f, a second.\n",
		cost.Round(10*time.Microsecond), crowd.Round(time.Microsecond), small.Round(10*time.Microsecond),
		end.Round(10*time.Microsecond), 1/cost.Seconds(), 1/small.Seconds())
	fmt.Println("| repositories | machines | build slots busy | workers busy | wait p50 | wait p95 | mean, by formula | push to answer p50 | p95 | claims lock busy |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	const hours = 8
	for _, n := range [][2]int{{100, 1}, {100, 2}, {1000, 5}, {1000, 8}, {1000, 16}, {10_000, 50}, {10_000, 75}, {10_000, 100}} {
		l := usual(n[0], n[1])
		l.claim, l.claimShort, l.crowd = cost, small, crowd
		o := simulate(l, hours, 1)
		w := erlangWait(float64(o.tasks)/(hours*3600), o.serviceMean, o.cv2, l.machines*l.workers)
		fmt.Printf("| %d | %d | %.0f %% | %.0f %% | %s | %s | %s | %s | %s | %.1f %% |\n", n[0], n[1], 100*o.building,
			100*o.busy, short(quantile(o.waits, 0.5)),
			short(quantile(o.waits, 0.95)), short(seconds(min(w, 1e6))), short(quantile(o.answers, 0.5)),
			short(quantile(o.answers, 0.95)), 100*o.claiming)
	}
	return nil
}

func short(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }

// claimCost is the time that PostgreSQL takes to give a verification out, and to take its answer, where past times say that
// it takes so long: the median of 500, which other work on the machine changes least.
func claimCost(ctx context.Context, expected time.Duration, repos int) (claim, end time.Duration, err error) {
	dsn, stop, err := pgtest.Run("")
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = stop() }() // the figures are there already
	st, err := store.Open(ctx, dsn)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = st.Close() }()
	if err := st.Write(ctx, func(tx store.Tx) error {
		for i := range 2000 {
			repo := int64(i%repos) + 1
			if err := tx.AddTask(ctx, store.Task{Run: fmt.Sprint("r", repo), N: i, Repo: repo, Installation: repo % 10,
				Engine: "e", Priority: 2, Job: "{}", Expected: expected}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return 0, 0, err
	}
	var claims, ends []time.Duration
	for len(claims) < 500 {
		var list []store.Task
		from := time.Now()
		if err := st.Write(ctx, func(tx store.Tx) (err error) {
			list, err = tx.ClaimTasks(ctx, "w", "e", time.Minute, store.Limits{})
			return err
		}); err != nil {
			return 0, 0, err
		}
		took := time.Since(from) / time.Duration(len(list))
		for i := range list {
			t := &list[i]
			from = time.Now()
			if err := st.Write(ctx, func(tx store.Tx) error {
				t.State, t.Result = store.TaskEnded, []byte("{}")
				_, err := tx.EndTask(ctx, t)
				return err
			}); err != nil {
				return 0, 0, err
			}
			claims, ends = append(claims, took), append(ends, time.Since(from))
		}
	}
	slices.Sort(claims)
	slices.Sort(ends)
	return quantile(claims, 0.5), quantile(ends, 0.5), nil
}
