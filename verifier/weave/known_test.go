package weave

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

// A call of a known function gives what its arguments lead to any value, of which parameter and when.
func TestKnownWrites(t *testing.T) {
	type write struct {
		model ir.Model
		arg   int  // of the call that it writes behind
		when  bool // in a block of its own, under a condition
	}
	for src, want := range map[string][]write{
		"long read(int, void *, unsigned long); int main(void) { return read(0, b, 4); }":                                     {{ir.ModelHavoc, 1, true}},
		"int gettimeofday(void *, void *); int main(void) { return gettimeofday(b, 0); }":                                     {{ir.ModelHavocRest, 0, true}},
		"int HAL_I2C_Master_Receive(void *, int, char *, int); int main(void) { return HAL_I2C_Master_Receive(0, 1, b, 2); }": {{ir.ModelHavoc, 2, true}},
		"void vTaskDelayUntil(char *, int); int main(void) { vTaskDelayUntil(b, 3); return 0; }":                              {{ir.ModelHavocRest, 0, false}},
		"int xQueueReceiveFromISR(void *, void *, char *); int main(void) { return xQueueReceiveFromISR(0, b, b + 4); }":      {{ir.ModelHavocRest, 2, true}, {ir.ModelHavocRest, 1, true}},
		"int osMessageQueueGet(void *, void *, char *, int); int main(void) { return osMessageQueueGet(0, b, b + 4, 1); }":    {{ir.ModelHavocRest, 1, true}, {ir.ModelHavocRest, 2, true}},
		"void osDelay(int); int main(void) { osDelay(4); return 0; }":                                                         nil,
		"long write(int, char *, unsigned long); int main(void) { return write(0, b, 4); }":                                   nil,
	} {
		m := link(t, "static char b[8]; "+src)
		Known(m)
		var got []write
		var call *ir.Instr
		for _, blk := range m.Func("main").Blocks {
			for _, in := range blk.Instrs {
				switch f := ir.CalledFunc(in); {
				case in.Op != ir.OpCall:
				case in.Model == ir.ModelHavoc || in.Model == ir.ModelHavocRest:
					w := write{in.Model, -1, in.Block != call.Block}
					for i, a := range call.Args {
						if a == in.Args[0] {
							w.arg = i
						}
					}
					got = append(got, w)
				case call == nil && f != nil:
					call = in
				}
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: writes %v", src, got)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: writes %v, not %v", src, got[i], want[i])
			}
		}
	}
}
