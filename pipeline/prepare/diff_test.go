package prepare

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/change"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// compared compares the function f of two C files in dir.
func compared(t *testing.T, dir string, limit time.Duration) *verdict.Comparison {
	t.Helper()
	var sides [2]Version
	for i, name := range []string{"old.c", "new.c"} {
		list, err := Versions(context.Background(), Request{Paths: []string{filepath.Join(dir, name)},
			Targets: []string{"host"}})
		if err != nil {
			t.Fatal(err)
		}
		sides[i] = list[0]
	}
	ctx, cancel := budget.WithClock(context.Background(), limit, 30*limit) // of a busy machine
	defer cancel()
	return change.Compare(ctx, sides[0].Module, sides[1].Module, "f", "f", sides[1].Plan, nil)
}

// unpack writes the files of a pair into a folder; it returns the right answer.
func unpack(t *testing.T, file string) (dir, want string) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, f := range a.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, strings.Fields(string(a.Comment))[0]
}

// TestPairs compares pairs of C files. The comment of each archive is the right answer: `same`, or `differs`. What the
// tool says is compared with what gcc's programs do, too: with 1,000 random inputs of those that are the same, and with
// the input that is shown of those that differ.
func TestPairs(t *testing.T) {
	files, err := filepath.Glob("testdata/diff/*.txtar")
	if err != nil || len(files) < 40 {
		t.Fatal(err, len(files))
	}
	for i, file := range files {
		if i%testprogram.Sample(1, 8) != 0 {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			dir, want := unpack(t, file)
			c := compared(t, dir, 20*time.Second)
			reason := ""
			if c.Reason != nil {
				reason = c.Reason.Detail
			}
			t.Logf("%s: want %s, %s in %d ms %s", name, want, c.Status, c.ProcessorMS, reason)
			said := c.Status == verdict.Same || c.Status == verdict.SameBounded
			if want == "same" && c.Status == verdict.Differs || want == "differs" && said {
				t.Errorf("%s: %s", want, c.Status)
			}
			if turned[name] && c.Status != verdict.Same {
				t.Errorf("%s: they are the same on all inputs", c.Status)
			}
			if opens[name] != (c.Status == verdict.SameOpen) {
				t.Errorf("open: %t, %t expected", c.Status == verdict.SameOpen, opens[name])
			}
			if _, err := os.Stat(filepath.Join(dir, "drive.c")); err != nil {
				return // what is volatile is seen by nobody
			}
			switch c.Status {
			case verdict.Same, verdict.SameBounded:
				in := randomInputs(name)
				if at := apart(run(t, dir, "old", in), run(t, dir, "new", in)); at != "" {
					t.Errorf("natively, they differ: %s", at)
				}
			case verdict.Differs:
				for i := range c.Differences {
					in := recordsOf(c.Differences[i].Inputs)
					if apart(run(t, dir, "old", in), run(t, dir, "new", in)) == "" {
						t.Errorf("natively, they do not differ on %v: %v", c.Differences[i].Name, c.Differences[i].Inputs)
					}
				}
			}
		})
	}
}

// turned lists pairs that are the same for any number of turns, or whatever functions do that did not change.
var turned = map[string]bool{"crc_frame": true, "mix_each": true, "largest": true, "ring_drain": true, "slip_states": true, "wait_ready": true,
	"xor_in_place": true}

// opens lists the pairs that are not decided.
var opens = map[string]bool{"send_shorter": true}

// run compiles a version with its driver, and returns the lines that it writes for inputs.
func run(t *testing.T, dir, version string, in []byte) []string {
	t.Helper()
	exe := filepath.Join(dir, version)
	if _, err := os.Stat(exe); err != nil {
		out, err := exec.Command("gcc", "-O0", "-w", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-o", exe,
			exe+".c", filepath.Join(dir, "drive.c")).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	cmd := exec.Command(exe)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(out), "\n")
}

// apart returns the first line in which versions differ, inputs with which the old one is undefined left out.
func apart(old, now []string) string {
	if len(old) != len(now) {
		return fmt.Sprintf("%d and %d lines", len(old), len(now))
	}
	for i := range old {
		if old[i] != now[i] && !strings.HasSuffix(old[i], "undefined") {
			return old[i] + " and " + now[i]
		}
	}
	return ""
}

func record(in []byte, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(in, uint32(len(data))), data...)
}

// recordsOf writes inputs as drivers read them: numbers and contents of blocks, in order.
func recordsOf(list []verdict.Input) []byte {
	var out []byte
	for _, in := range list {
		switch k := input.KindNamed(in.Kind); {
		case k == input.Nondet && in.Width <= 64 && !strings.HasPrefix(in.Name, "index in "):
			var v uint64
			_, _ = fmt.Sscanf(in.Value, "%x", &v)
			out = record(out, binary.LittleEndian.AppendUint64(nil, v))
		case k == input.Havoc:
			data, _ := hex.DecodeString(in.Bytes)
			out = record(out, data)
		}
	}
	for range 4 { // what the execution did not ask for
		out = record(out, nil)
	}
	return out
}

// randomInputs are records of random bytes, many of them small numbers.
func randomInputs(seed string) []byte {
	rng := rand.New(rand.NewPCG(uint64(len(seed)), 1))
	var out []byte
	for range 3000 {
		data := make([]byte, 64)
		for i := range data {
			switch rng.IntN(3) {
			case 0:
				data[i] = byte(rng.Uint32())
			case 1:
				data[i] = byte(rng.IntN(4))
			}
		}
		out = record(out, data)
	}
	return out
}
