package bot

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/firmproof/firmproof/pipeline/store"
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
}

func newMetrics() *metrics {
	r := prometheus.NewRegistry()
	m := &metrics{
		registry:   r,
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "firmproof_deliveries_total", Help: "Webhooks by event and answer."}, []string{"event", "answer"}),
		ack: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "firmproof_delivery_ack_seconds", Help: "Time until a webhook was answered.",
			Buckets: []float64{.002, .005, .01, .025, .05, .1, .25, .5, 1, 5}}),
		calls:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "firmproof_github_calls_total", Help: "Calls to GitHub by method and class of answer."}, []string{"method", "code"}),
		limited:   prometheus.NewCounter(prometheus.CounterOpts{Name: "firmproof_github_limited_total", Help: "Answers that said to slow down."}),
		remaining: prometheus.NewGauge(prometheus.GaugeOpts{Name: "firmproof_github_remaining", Help: "Calls left in the window, as the last answer said."}),
		jobs: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "firmproof_job_seconds", Help: "Time of jobs by kind and outcome.",
			Buckets: []float64{.01, .05, .1, .5, 1, 5, 15, 60, 300, 1800}}, []string{"kind", "outcome"}),
		waited: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "firmproof_job_wait_seconds", Help: "Time of jobs in the queue by kind.",
			Buckets: []float64{.005, .01, .025, .05, .1, .5, 1, 5, 30, 300}}, []string{"kind"}),
	}
	r.MustRegister(m.deliveries, m.ack, m.calls, m.limited, m.remaining, m.jobs, m.waited, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
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

// runsCollector reports how many runs are in which state, when asked.
type runsCollector struct {
	store *store.Store
	desc  *prometheus.Desc
}

func newRunsCollector(st *store.Store) *runsCollector {
	return &runsCollector{st, prometheus.NewDesc("firmproof_runs", "Runs by state.", []string{"state"}, nil)}
}

// Describe implements prometheus.Collector.
func (c *runsCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc }

// Collect implements prometheus.Collector.
func (c *runsCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := c.store.Read(ctx, func(tx store.Tx) error {
		counts, err := tx.CountRuns(ctx)
		for _, state := range []store.State{store.Waiting, store.Queued, store.Running, store.Done} {
			ch <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(counts[state]), string(state))
		}
		return err
	})
	if err != nil {
		ch <- prometheus.NewInvalidMetric(c.desc, err)
	}
}
