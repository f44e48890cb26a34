package interp_test

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// BenchmarkLoop reports interpreted instructions per second.
func BenchmarkLoop(b *testing.B) {
	m := testprogram.File(b, "testdata/oracle/integers.c", "x86_64")
	var executed int64
	for b.Loop() {
		out, err := interp.Run(context.Background(), m, interp.Options{Entry: m.Func("run"),
			Checks: testprogram.SoundChecks()}, &testprogram.Inputs{List: []int64{1}})
		if err != nil || out.Kind != interp.Returned {
			b.Fatal(out, err)
		}
		executed += out.Executed
	}
	b.ReportMetric(float64(executed)/b.Elapsed().Seconds(), "instr/s")
}
