package adopt

import "testing"

// TestTargetOf: compilers whose names do not say what they compile for do so by their flags.
func TestTargetOf(t *testing.T) {
	for text, want := range map[string]string{
		"armclang --target=arm-arm-none-eabi -mcpu=cortex-m4 -c a.c":                  "cortex-m4",
		"armclang --target=arm-arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard -c a.c": "cortex-m4f",
		"iccarm --cpu=Cortex-M3 a.c":                                                  "cortex-m3", "armcc --cpu Cortex-M0 -c a.c": "cortex-m0",
		"clang --target=arm-none-eabi -mcpu=cortex-m7 -c a.c": "cortex-m7", "armcc --cpu Cortex-M99 a.c": "host",
		"arm-none-eabi-gcc -mcpu=cortex-m0 -c a.c": "cortex-m0", "gcc -m32 -c a.c": "i386", "gcc -c a.c": "host",
	} {
		if got, why := targetOf(text, "the build files"); got != want || why == "" {
			t.Errorf("%s: %s (%s), want %s", text, got, why, want)
		}
	}
}
