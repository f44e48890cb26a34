package bot

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// metrics of one server, in a registry of its own.
type metrics struct {
	registry   *prometheus.Registry
	deliveries *prometheus.CounterVec
	ack        prometheus.Histogram
	calls      *prometheus.CounterVec
	limited    prometheus.Counter
	remaining  prometheus.Gauge
	jobs       *prometheus.HistogramVec
	waited     *prometheus.HistogramVec
	unchanged  prometheus.Counter
	stages     *prometheus.HistogramVec
	answers    *prometheus.CounterVec
}

func newMetrics() *metrics {
	r := prometheus.NewRegistry()
	m := &metrics{
		registry: r,
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "firmproof_deliveries_total",
			Help: "Webhooks by event and answer."}, []string{"event", "answer"}),
		ack: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "firmproof_delivery_ack_seconds",
			Help:    "Time until a webhook was answered.",
			Buckets: []float64{.002, .005, .01, .025, .05, .1, .25, .5, 1, 5}}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "firmproof_github_calls_total",
			Help: "Calls to GitHub by method and class of answer."}, []string{"method", "code"}),
		limited: prometheus.NewCounter(prometheus.CounterOpts{Name: "firmproof_github_limited_total",
			Help: "Answers that said to slow down."}),
		remaining: prometheus.NewGauge(prometheus.GaugeOpts{Name: "firmproof_github_remaining",
			Help: "Calls left in the window, as the last answer said."}),
		jobs: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "firmproof_job_seconds",
			Help:    "Time of jobs by kind and outcome.",
			Buckets: []float64{.01, .05, .1, .5, 1, 5, 15, 60, 300, 1800}}, []string{"kind", "outcome"}),
		waited: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "firmproof_job_wait_seconds",
			Help:    "Time of jobs in the queue by kind.",
			Buckets: []float64{.005, .01, .025, .05, .1, .5, 1, 5, 30, 300}}, []string{"kind"}),
		unchanged: prometheus.NewCounter(prometheus.CounterOpts{Name: "firmproof_github_unchanged_total",
			Help: "Reads that GitHub answered with 304, at no cost to the limit."}),
		stages: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "firmproof_stage_seconds",
			Help:    "Time of a stage of one verification (compile, encode, solve, ...).",
			Buckets: []float64{.001, .01, .1, .5, 1, 5, 15, 60, 300, 1800}}, []string{"stage"}),
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "firmproof_answers_total",
			Help: "Answers (entry and target) by where they came from: analysis or cache."}, []string{"source"}),
	}
	r.MustRegister(m.unchanged, m.stages, m.answers, m.deliveries, m.ack, m.calls, m.limited, m.remaining, m.jobs,
		m.waited, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// observe is told about every job.
func (m *metrics) observe(kind string, waited, took time.Duration, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "again"
	}
	m.jobs.WithLabelValues(kind, outcome).Observe(took.Seconds())
	m.waited.WithLabelValues(kind).Observe(max(0, waited.Seconds()))
}

// measured is told about every report that is kept.
func (m *metrics) measured(r *verdict.Report) {
	for i := range r.Results {
		res := &r.Results[i]
		if res.Reused != "" {
			m.answers.WithLabelValues("cache").Inc()
			continue
		}
		m.answers.WithLabelValues("analysis").Inc()
		for _, s := range res.Stages {
			m.stages.WithLabelValues(stageName(s.Name)).Observe(s.Seconds)
		}
	}
}

// stageName bounds the labels that a report, which met hostile code, can make us keep.
func stageName(s string) string {
	if slices.Contains([]string{"sources", "compile", "link", "slice", "read", "encode", "decide", "simplify", "blast",
		"solve", "replay", "induction", "graph", "lasso", "termination", "bounds"}, s) {
		return s
	}
	return "other"
}

// runsCollector reports how many runs are in which state, when asked.
type runsCollector struct {
	store *store.Store
	desc  *prometheus.Desc
	depth *prometheus.Desc
	age   *prometheus.Desc
}

func newRunsCollector(st *store.Store) *runsCollector {
	return &runsCollector{st, prometheus.NewDesc("firmproof_runs", "Runs by state.", []string{"state"}, nil),
		prometheus.NewDesc("firmproof_queue_depth",
			"What waits: webhooks to handle, runs to plan or build, verifications, runs to show at GitHub.",
			[]string{"queue"}, nil),
		prometheus.NewDesc("firmproof_queue_age_seconds", "Age of the oldest that waits.", []string{"queue"}, nil)}
}

// Describe implements prometheus.Collector.
func (c *runsCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.desc
	ch <- c.depth
	ch <- c.age
}

// Collect implements prometheus.Collector.
func (c *runsCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := c.store.Read(ctx, func(tx store.Tx) error {
		counts, err := tx.CountRuns(ctx)
		for _, state := range []store.State{store.Waiting, store.Queued, store.Running, store.Done} {
			ch <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(counts[state]), string(state))
		}
		if err != nil {
			return err
		}
		waits, err := tx.Backlog(ctx)
		for _, b := range waits {
			ch <- prometheus.MustNewConstMetric(c.depth, prometheus.GaugeValue, float64(b.Depth), b.Queue)
			ch <- prometheus.MustNewConstMetric(c.age, prometheus.GaugeValue, b.Age.Seconds(), b.Queue)
		}
		return err
	})
	if err != nil {
		ch <- prometheus.NewInvalidMetric(c.desc, err)
	}
}
