package compile

import (
	"fmt"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

// TestSVDUse: a register is read-only or write-only where the file leaves no doubt.
func TestSVDUse(t *testing.T) {
	const field = "<fields><field><name>F</name>%s</field><field><name>G</name>%s</field></fields>"
	ro, wo, rw := "<access>read-only</access>", "<access>write-only</access>", "<access>read-write</access>"
	fields := func(f, g string) string { return fmt.Sprintf(field, f, g) }
	for _, c := range []struct {
		device, register, attribute string
		want                        ir.RegisterUse
	}{
		{"", ro, "", ir.ReadOnly},
		{"", wo, "", ir.WriteOnly},
		{"", "<access>writeOnce</access>", "", ir.WriteOnly},
		{"", "<access>read-writeOnce</access>", "", ir.AnyUse},
		{"", "", "", ir.AnyUse},
		{ro, "", "", ir.ReadOnly},
		{ro, rw, "", ir.AnyUse},
		{rw, fields(ro, ro), "", ir.ReadOnly},
		{rw, fields(ro, wo), "", ir.AnyUse},
		{ro, fields(ro, ""), "", ir.AnyUse},
		{"", ro + fields("", ""), "", ir.ReadOnly},
		{"", ro + fields("", rw), "", ir.AnyUse},
		{"", rw + fields(ro, ro), "", ir.AnyUse},
		{"", ro + "<modifiedWriteValues>oneToClear</modifiedWriteValues>", "", ir.AnyUse},
		{"", ro + fields("", "<modifiedWriteValues>oneToClear</modifiedWriteValues>"), "", ir.AnyUse},
		{"", ro + "<readAction>clear</readAction>", "", ir.ReadOnly},
		{"", wo + "<readAction>clear</readAction>", "", ir.AnyUse},
		{"", ro, ` derivedFrom="Q"`, ir.AnyUse},
	} {
		text := `<device>` + c.device + `<peripherals><peripheral><name>P</name><baseAddress>0</baseAddress>
<addressBlock><offset>0</offset><size>16</size></addressBlock><registers><register` + c.attribute +
			`><name>R</name><addressOffset>4</addressOffset>` + c.register + `</register></registers></peripheral></peripherals></device>`
		_, list, err := parseSVD([]byte(text))
		if err != nil || len(list) != 1 || list[0].Use != c.want {
			t.Errorf("%+v: %v %v", c, list, err)
		}
	}
}

// TestSVDUsePartial: where a register may be missing, nothing is known of those at its place.
func TestSVDUsePartial(t *testing.T) {
	_, list, err := parseSVD([]byte(`<device><access>read-only</access><peripherals><peripheral><name>P</name><baseAddress>0</baseAddress>
<addressBlock><offset>0</offset><size>16</size></addressBlock><registers><register><name>R</name><addressOffset>4</addressOffset></register>
<register><name>S</name><addressOffset>four</addressOffset></register></registers></peripheral></peripherals></device>`))
	if err != nil || len(list) != 1 || list[0].Use != ir.AnyUse {
		t.Errorf("%v %v", list, err)
	}
}
