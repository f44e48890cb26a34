package prepare

import (
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/change"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// machinePairs are the targets that functions are compared on.
var machinePairs = [][2]string{{"cortex-m3", "avr"}, {"avr", "cortex-m3"}, {"cortex-m3", "i386"}, {"cortex-m3", "x86_64"},
	{"cortex-m3", "cortex-r5-be"}, {"cortex-r5-be", "cortex-m3"}, {"avr", "cortex-r5-be"}}

// beyond lists the functions that differ on inputs that the driver does not call them with, as that is undefined on one target,
// or no call brings it about.
var beyond = map[string]bool{"numbers f06": true, "layouts f18": true, "layouts f25": true, "layouts f27": true, "layouts f41": true,
	"effects f07": true, "effects f16": true, "effects f25": true, "effects f28": true, "effects f41": true}

// TestMachines compares functions on two targets, and with what their programs do there: natively for x86, in QEMU for Arm, in
// simavr for AVR.
func TestMachines(t *testing.T) {
	pairs := machinePairs[:testprogram.Sample(len(machinePairs), 2)]
	if testing.Short() {
		pairs = pairs[:1]
	}
	compared := 0
	for _, file := range []string{"numbers", "layouts", "effects"} {
		native := map[string]map[string]string{}
		for i, pair := range pairs {
			for _, target := range pair {
				if native[target] == nil {
					native[target] = natively(t, file, target)
				}
			}
			list, err := Versions(context.Background(), Request{Targets: pair[:],
				Paths: []string{filepath.Join("testdata", "machines", file+".c")}})
			if err != nil {
				t.Fatal(err)
			}
			both := change.OnMachines(list[0].Module, list[1].Module, [2]verifier.Plan{list[0].Plan, list[1].Plan})
			for k, name := range list[1].Bodies.Names {
				if (i+k)%testprogram.Sample(1, 4) != 0 || name[0] != 'f' {
					continue
				}
				ctx, cancel := budget.WithClock(context.Background(), 5*time.Second, 150*time.Second)
				c := both.Compare(ctx, name)
				cancel()
				was, is := native[pair[0]][name], native[pair[1]][name]
				said := c.Status == verdict.Same || c.Status == verdict.SameBounded
				if was == "" || is == "" { // a tool is missing, or floating point for one target
					continue
				}
				if compared++; said && was != is || c.Status == verdict.Differs && was == is && !beyond[file+" "+name] {
					t.Errorf("%s on %v: %s, natively\n%s\n%s", name, pair, c.Status, was, is)
				}
			}
		}
	}
	if _, err := exec.LookPath("simavr"); err == nil && compared < 30 {
		t.Errorf("%d functions compared with what they do natively", compared)
	}
}

// natively runs the driver on a target: what each function writes, by its name. Nothing where a tool is missing.
func natively(t *testing.T, file, target string) map[string]string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "a.elf")
	args := []string{"-O0", "-w", "-std=gnu11", "-fwrapv", "-D", "CASES=" + strconv.Quote(file+".c"),
		"-D", "DRIVE=" + strconv.Quote(file+"_drive.h"), "-o", exe, filepath.Join("testdata", "machines", "drive.c")}
	compiler, run := "gcc", []string{exe}
	arm := []string{"-mcpu=cortex-r5", "-marm", "-ffreestanding", "-static"}
	switch target {
	case "i386":
		args = append(args, "-m32")
	case "cortex-m3":
		compiler, run = "arm-none-eabi-gcc", []string{"qemu-arm", exe}
		args = append(append(args, arm...), "-nostartfiles", "--specs=nosys.specs")
	case "cortex-r5-be":
		compiler, run = "arm-none-eabi-gcc", []string{"qemu-armeb", exe}
		args = append(append(args, arm...), "-DBARE", "-mbig-endian", "-Wl,-EB", "-nostdlib")
	case "avr":
		compiler, run = "avr-gcc", []string{"simavr", "-m", "atmega328p", exe}
		args = append(args, "-mmcu=atmega328p", "-Os")
	}
	for _, tool := range []string{compiler, run[0]} {
		if _, err := exec.LookPath(tool); err != nil && tool != exe {
			return nil
		}
	}
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", target, err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, run[0], run[1:]...).CombinedOutput()
	if err != nil && target != "avr" {
		t.Fatalf("%s: %v", target, err)
	}
	text := string(out)
	if target == "avr" {
		text = ofSimulator(text)
	}
	written := map[string]string{}
	for _, part := range strings.Split(text, "\nf")[1:] {
		name, does, _ := strings.Cut(part, ":")
		written["f"+name] = strings.Join(strings.Fields(does), " ")
	}
	return written
}

// ofSimulator is what a program wrote, out of what simavr shows of it: in colours, with points for ends of lines, in lines of 256
// bytes.
func ofSimulator(text string) string {
	var out strings.Builder
	for _, l := range strings.Split(text, "\n") {
		l = strings.TrimRight(strings.NewReplacer("\x1b[32m", "", "\x1b[0m", "", "\r", "").Replace(l), ".")
		if strings.HasPrefix(l, "f") && len(l) > 3 && l[3] == ':' {
			out.WriteString("\n")
		}
		if l = strings.TrimSuffix(l, "END"); !strings.HasPrefix(l, "Loaded") {
			out.WriteString(l)
		}
	}
	return out.String()
}
