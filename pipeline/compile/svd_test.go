package compile

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

const deviceSVD = `<?xml version="1.0"?>
<device schemaVersion="1.3"><name>CHIP</name><peripherals>
  <peripheral><name>UART0</name><baseAddress>0x40001000</baseAddress>
    <addressBlock><offset>0x0</offset><size>0x400</size><usage>registers</usage></addressBlock>
    <addressBlock><offset>0x800</offset><size>1k</size><usage>reserved</usage></addressBlock>
    <registers><register><name>DR</name><addressOffset>0</addressOffset></register>
    <register><dim>2</dim><dimIncrement>2</dimIncrement><dimIndex>B-C</dimIndex><name>GPIO%s</name><size>16</size><addressOffset>0x20</addressOffset></register>
    <cluster><dim>2</dim><dimIncrement>8</dimIncrement><name>CH[%s]</name><addressOffset>0x10</addressOffset>
      <register><name>CR</name><addressOffset>0</addressOffset></register>
      <register><dim>2</dim><dimIncrement>1</dimIncrement><dimIndex>A,B</dimIndex><name>SR%s</name><size>8</size><addressOffset>3</addressOffset></register>
      <register><name>SRB</name><size>16</size><addressOffset>4</addressOffset></register></cluster></registers></peripheral>
  <peripheral derivedFrom="UART0"><name>UART1</name><baseAddress>0x40002000</baseAddress></peripheral>
  <peripheral><dim>2</dim><dimIncrement>0x100</dimIncrement><name>TIM[%s]</name><baseAddress>1073758208</baseAddress><access>write-only</access>
    <addressBlock><offset>16</offset><size>#100000</size><usage>registers</usage></addressBlock></peripheral>
</peripherals></device>`

func TestSVD(t *testing.T) {
	list, registers, err := parseSVD([]byte(deviceSVD))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range list {
		got = append(got, fmt.Sprintf("%s %#x+%#x %s", r.Name, r.Base, r.Size, r.Access))
	}
	want := "UART0 0x40001000+0x400 volatile, UART1 0x40002000+0x400 volatile, TIM0 0x40004010+0x20 write-only, TIM1 0x40004110+0x20 write-only"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got %s", s)
	}
	const derived = `<device><peripherals>
  <peripheral derivedFrom="A"><name>B</name><baseAddress>0x200</baseAddress></peripheral>
  <peripheral derivedFrom="C"><name>A</name><baseAddress>0x100</baseAddress></peripheral>
  <peripheral derivedFrom="B"><name>C</name><baseAddress>0</baseAddress><access>write-only</access>
    <addressBlock><offset>0</offset><size>4</size></addressBlock>
    <registers><register><access>read-write</access></register></registers></peripheral></peripherals></device>`
	s := ir.Semantics{Registers: registers}
	for at, want := range map[uint64]string{0x40001000: "UART0->DR", 0x40002000: "UART1->DR", 0x40002004: "",
		0x40001010: "UART0->CH[0].CR", 0x40001018: "UART0->CH[1].CR", 0x4000101c: "UART0->CH[1].SRB", 0x4000101e: "",
		0x40001022: "UART0->GPIOC"} {
		got := ""
		for _, region := range []string{"UART0", "UART1"} {
			if r, ok := s.RegisterAt(region, at, 2); ok {
				got = region + "->" + r.Name
			}
		}
		if got != want {
			t.Errorf("%#x is %q, want %q", at, got, want)
		}
	}
	if list, _, err = parseSVD([]byte(derived)); err != nil || len(list) != 3 || list[0].Access.String() != "volatile" {
		t.Errorf("a peripheral that is derived from a later one: %v %v", list, err)
	}
	for text, want := range map[string]string{"<device>": "XML",
		"<device><peripherals></peripherals></device>": "no peripheral", "<other/>": "device",
		strings.Replace(deviceSVD, "0x40002000", "here", 1): "peripheral UART1: baseAddress `here` is no number"} {
		if _, _, err := parseSVD([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30s: %v", text, err)
		}
	}
}

// TestSVDInProject: the device's registers are regions of the image, over the target's
// and under those of the manifest.
func TestSVDInProject(t *testing.T) {
	dir := tree(t, map[string]string{"a.c": "int main(void) { return 0; }\n", "chip.svd": deviceSVD})
	m := parse(t, "build: {sources: [a.c], svd: chip.svd}\nmemory_map: [{name: mine, base: 0x40002000, size: 0x400, access: constant}]\n")
	img, err := Project(context.Background(), dir, m, load(t, "cortex-m3"), Options{WorkDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, r := range img.Memory {
		found[r.Name] = r.Access.String()
	}
	if found["UART0"] != "volatile" || found["mine"] != "constant" || found["UART1"] != "" ||
		found["TIM1"] != "write-only" {
		t.Errorf("%v", found)
	}
	if img, err = Project(context.Background(), dir, m, load(t, "x86_64"),
		Options{WorkDir: t.TempDir()}); err != nil || !strings.Contains(strings.Join(img.Notes, "\n"),
		"hosted target x86_64") {
		t.Errorf("hosted: %v", err)
	}
}
