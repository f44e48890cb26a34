package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// fieldsChip describes fields: MODE takes 0..2, DIV 1..127, and a one clears each of FLAGS but IE.
const fieldsChip = `<device><name>CHIP</name><size>32</size><access>read-write</access><peripherals>
<peripheral><name>UART</name><baseAddress>0x40001000</baseAddress>
<addressBlock><offset>0</offset><size>0x100</size><usage>registers</usage></addressBlock><registers>
<register><name>SR</name><addressOffset>0</addressOffset><access>read-only</access></register>
<register><name>TX</name><addressOffset>4</addressOffset><access>write-only</access></register>
<register><name>CR</name><addressOffset>8</addressOffset><fields>
<field><name>EN</name><bitOffset>0</bitOffset><bitWidth>1</bitWidth></field>
<field><name>MODE</name><bitRange>[5:4]</bitRange><writeConstraint><useEnumeratedValues>true</useEnumeratedValues></writeConstraint>
<enumeratedValues><enumeratedValue><name>a</name><value>0</value></enumeratedValue><enumeratedValue><name>b</name><value>1</value></enumeratedValue>
<enumeratedValue><name>c</name><value>#10</value></enumeratedValue></enumeratedValues></field>
<field><name>DIV</name><lsb>8</lsb><msb>15</msb><writeConstraint><range><minimum>1</minimum><maximum>127</maximum></range></writeConstraint></field>
</fields></register>
<register><name>FLAGS</name><addressOffset>12</addressOffset><fields>
<field><name>F%s</name><dim>8</dim><dimIncrement>1</dimIncrement><bitOffset>0</bitOffset><bitWidth>1</bitWidth><modifiedWriteValues>oneToClear</modifiedWriteValues></field>
<field><name>IE</name><bitOffset>16</bitOffset><bitWidth>1</bitWidth></field></fields></register>
</registers></peripheral>
<peripheral derivedFrom="UART"><name>UART2</name><baseAddress>0x40002000</baseAddress></peripheral>
</peripherals></device>
`

// TestRegisterFields: what the code itself writes to a field is held to the description, at any address that it passes. What
// is read of the device or passed by an unknown caller is not, and neither is which register a caller passes. A function's
// name says what is found; no proof is said of what callers decide.
func TestRegisterFields(t *testing.T) {
	const code = `typedef struct { volatile unsigned sr, tx, cr, flags; } uart;
#define UART ((uart *)0x40001000u)
#define UART2 ((uart *)0x40002000u)
#define D (1u << 8)
void bad_mode(void) { UART->cr = 3u << 4 | D; }
void good_mode(void) { UART->cr = 2u << 4 | D; }
void bad_div(void) { UART->cr = 128u << 8; }
void good_div(void) { UART->cr = 127u << 8; }
void bad_div_zero(void) { UART->cr = 1; }
void good_narrow(void) { *(volatile unsigned char *)0x40001008u = 0x30; }
void good_set(void) { UART->cr |= 1u << 4; }
void bad_set(void) { unsigned v = UART->cr; v &= ~(3u << 4); v |= 3u << 4; UART->cr = v; }
void good_replaced(void) { unsigned v = UART->cr; v &= ~(3u << 4); v |= 1u << 4; UART->cr = v; }
void bad_flag(void) { UART->flags |= 1; }
void bad_flag_twice(void) { unsigned v = UART->flags; v = v | 2; UART->flags = v; }
void good_flag(void) { UART->flags = 1; }
void good_flag_other(void) { UART->flags |= 1u << 16; }
void good_flag_all(void) { UART->flags = UART->flags; }
void good_flag_masked(void) { UART->flags = (UART->flags & (1u << 16)) | 4; }
void good_flag_seen(void) { unsigned v = UART->flags; if (!(v & 0xfe)) UART->flags = v | 1; }
void good_flag_from(void) { UART->flags = UART2->flags | 1; }
static void mode(uart *u, unsigned m) { u->cr = (u->cr & ~(3u << 4)) | m << 4; }
void bad_passed(void) { mode(UART2, 3); }
void good_passed(void) { mode(UART, 1); mode(UART2, 2); }
void good_any(uart *u, unsigned m) { mode(u, m); }
void good_any_number(unsigned m) { mode(UART, m); }
static void at(unsigned base, unsigned pin) { *(volatile unsigned *)(base + 8) = 3u << 2 * pin | D; }
void bad_base(void) { at(0x40001000u, 2); }
void good_base(void) { at(0x40001000u, 3); }
void good_any_base(unsigned n) { if (n == 0x40001000u) at(n, 2); }
static void clear(uart *u) { u->sr = 0; }
static void twice(uart *u) { clear(u); }
void bad_clear(void) { twice(UART2); }
void good_clear(uart *u) { twice(u); }
void bad_chosen(int x) { UART->cr = (x > 3 ? 3u : 1u) << 4 | D; }
void good_chosen(int x) { UART->cr = (x > 3 ? 2u : 1u) << 4 | D; }
void bad_loop(void) { for (unsigned i = 0; i < 4; i++) UART->cr = i << 4 | D; }
void good_loop(void) { for (unsigned i = 0; i < 3; i++) UART->cr = i << 4 | D; }
static void down(uart *u, unsigned n) { u->cr = n << 4 | D; if (n) down(u, n - 1); }
void good_down(void) { down(UART, 2); }
static unsigned saved;
void good_memory(void) { UART->cr = saved << 4 | D; }
void bad_dead_not(int n) { if (n > 2) UART->cr = 3u << 4 | D; }
void good_dead(unsigned n) { if (n % 4 > 3) UART->cr = 3u << 4 | D; }
`
	dir := writeTree(t, map[string]string{"main.c": code, "chip.svd": fieldsChip,
		".firmproof.yml": "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [main.c], svd: chip.svd}\nfunctions: all\n"})
	_, rep, errs := checkJSON(t, dir, "--checks", "register", "--timeout", timeNet)
	found := 0
	for i := range rep.Results {
		r := &rep.Results[i]
		name := strings.TrimPrefix(r.Entry, "any call of ")
		bad, passed := false, strings.Contains(name, "passed") || strings.Contains(name, "any") ||
			strings.HasSuffix(name, "base") || strings.HasSuffix(name, "clear")
		for _, c := range r.Claims {
			bad = bad || c.Status == verdict.Violated
			if passed && c.Status != verdict.Violated {
				t.Errorf("%s: %s is %s\n%s", name, c.ID, c.Status, errs)
			}
		}
		if bad != strings.HasPrefix(name, "bad_") {
			t.Errorf("%s: %+v\n%s", name, r.Claims, errs)
		}
		if name == "bad_mode" && !slices.ContainsFunc(r.Claims, func(c verdict.Claim) bool {
			return c.Message == "write of 3 to UART->CR.MODE, which takes 0..2"
		}) {
			t.Errorf("%+v", r.Claims)
		}
		found++
	}
	if found < 34 {
		t.Errorf("%d functions\n%s", found, errs)
	}
}
