package main

import (
	"math"
	"testing"
	"time"
)

// TestSimulation: the simulation agrees with the formula where that is exact (exponential service would be cv2 = 1;
// here one time for all, cv2 = 0, and random arrivals), and waits vanish with enough machines.
func TestSimulation(t *testing.T) {
	l := usual(1000, 3)
	l.spread, l.targets, l.harnesses, l.reused, l.build = 0, 1, 1, 0, 0
	l.pushes, l.workers, l.verify = 2, 1, 4*time.Second
	o := simulate(l, 200, 7)
	var sum time.Duration
	for _, w := range o.waits {
		sum += w
	}
	mean := (sum / time.Duration(len(o.waits))).Seconds()
	want := erlangWait(1000*2/3600.0, o.serviceMean, o.cv2, 3)
	if math.Abs(mean-want) > 0.15*want || o.busy < 0.7 || o.busy > 0.78 {
		t.Errorf("mean wait %.2f s, by formula %.2f s, busy %.2f", mean, want, o.busy)
	}
	l.machines = 30
	if o := simulate(l, 20, 7); quantile(o.waits, 0.95) != 0 {
		t.Errorf("waits on 30 machines: %s", quantile(o.waits, 0.95))
	}
	l = usual(10_000, 75)
	quick := simulate(l, 2, 7)
	l.claim, l.claimShort, l.crowd = 5*time.Millisecond, time.Millisecond, 100*time.Microsecond
	slow := simulate(l, 2, 7)
	if rate := float64(slow.tasks) / 7200; slow.claiming < rate*0.004 || slow.claiming > 0.5 ||
		quantile(slow.answers, 0.5) <= quantile(quick.answers, 0.5) {
		t.Errorf("claims are made for %.2f of the time, and cost nobody anything: %s after %s", slow.claiming,
			quantile(slow.answers, 0.5), quantile(quick.answers, 0.5))
	}
	l.claim, l.claimShort = 30*time.Millisecond, 30*time.Millisecond
	if over := simulate(l, 2, 7); over.claiming < 1 || quantile(over.answers, 0.5) < time.Minute {
		t.Errorf("more claims than can be made, and nobody waits: %.2f, %s", over.claiming, quantile(over.answers, 0.5))
	}
	if w := erlangWait(1, 4, 1, 3); !math.IsInf(w, 1) {
		t.Errorf("more work than workers: %v", w)
	}
}
