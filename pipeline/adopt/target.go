package adopt

import (
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/targets"
)

var (
	compilerWord = regexp.MustCompile(
		`\b(arm-none-eabi-|avr-|riscv(?:32|64)[\w-]*-|msp430[\w-]*-|arm-linux-gnueabihf-|aarch64-[\w-]+-)`)
	cortexFlag = regexp.MustCompile(`-?mcpu[= ]\s*(cortex-[a-z]\d+)`)
	// of armclang, armcc, iccarm and clang, whose names do not say what they compile for
	cpuFlag = regexp.MustCompile(`(?i)(?:-mcpu=|--cpu[= ])(cortex-[a-z]\d+)`)
)

// targetOf returns the target that a text of compiler calls or build files is for, and why.
func targetOf(text, where string) (target, why string) {
	m := compilerWord.FindString(text)
	target = "host"
	switch {
	case strings.HasPrefix(m, "arm-none-eabi"):
		target = "cortex-m3"
		if c := cortexFlag.FindStringSubmatch(text); c != nil && hasTarget(c[1]) {
			target = withFloats(c[1], text)
		}
	case strings.HasPrefix(m, "avr"):
		target = "avr"
	case strings.HasPrefix(m, "riscv"):
		target = "riscv32"
		if strings.Contains(text, "rv64") {
			target = "riscv64"
		}
	case strings.HasPrefix(m, "msp430"):
		target = "msp430"
	case strings.HasPrefix(m, "arm-linux"):
		target = "arm-linux"
	case strings.HasPrefix(m, "aarch64"):
		target = "aarch64"
	case cpuFlag.MatchString(text):
		c := cpuFlag.FindStringSubmatch(text)
		if cpu := strings.ToLower(c[1]); hasTarget(cpu) {
			return withFloats(cpu, text), where + " say " + c[0]
		}
		return target, "no target is for " + c[0] + " in " + where
	case strings.Contains(text, " -m32"):
		return "i386", where + " say -m32"
	default:
		return target, "no cross compiler in " + where
	}
	return target, where + " call " + strings.TrimSuffix(m, "-") + "-gcc"
}

// withFloats returns the target of a processor whose calls may pass floats in registers.
func withFloats(cpu, text string) string {
	if cpu == "cortex-m4" && strings.Contains(text, "-mfloat-abi=hard") {
		return "cortex-m4f"
	}
	return cpu
}

// callText writes recorded calls as one text, compilers first.
func callText(calls []compile.Call) string {
	var b strings.Builder
	for _, c := range calls {
		b.WriteString(c.Tool + " " + strings.Join(c.Args, " ") + "\n")
	}
	return b.String()
}

func hasTarget(name string) bool { return slices.Contains(targets.Names(), name) }

func hosted(name string) bool {
	t, err := targets.Load(name)
	return err == nil && t.Hosted
}
