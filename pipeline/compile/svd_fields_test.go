package compile

import (
	"fmt"
	"testing"
)

// TestSVDFields: what may be written to a field is known where the file restricts it and leaves no doubt.
func TestSVDFields(t *testing.T) {
	value := func(more string) string { return "<enumeratedValue><name>v</name>" + more + "</enumeratedValue>" }
	enum := func(list string) string { return "<enumeratedValues>" + list + "</enumeratedValues>" }
	field := func(name, more string) string { return "<field><name>" + name + "</name>" + more + "</field>" }
	const at, listed = "<bitRange>[3:2]</bitRange>", "<writeConstraint><useEnumeratedValues>true</useEnumeratedValues></writeConstraint>"
	two := enum(value("<value>0</value>") + value("<value>#10</value>"))
	for _, c := range []struct{ register, fields, want string }{
		{"", field("F", at+listed+two), "[{F 2 2 [{0 0} {2 2}] false}]"},
		{"", field("F", at+two), "[]"},
		{listed, field("F", at+two), "[{F 2 2 [{0 0} {2 2}] false}]"},
		{"", field("F", "<lsb>2</lsb><msb>3</msb>"+listed+enum(value("<value>0b1x</value>"))), "[{F 2 2 [{2 3}] false}]"},
		{"", field("F", "<bitOffset>2</bitOffset><bitWidth>2</bitWidth>"+listed+enum(value("<value>0</value>")+
			value("<isDefault>true</isDefault>"))), "[]"},
		{"", field("F", at+listed+enum(value("<value>0</value>")+value("<value>0x1</value>")+value("<value>#1x</value>"))), "[]"},
		{"", field("F", at+listed+enum("<usage>read</usage>"+value("<value>1</value>"))), "[]"},
		{"", field("F", at+listed+two+enum("<usage>write</usage>"+value("<value>1</value>"))), "[{F 2 2 [{0 2}] false}]"},
		{"", field("F", at+"<access>read-only</access>"+listed+two), "[]"},
		{"", field("F", at+listed+two) + field("G", "<bitRange>[2:2]</bitRange>"), "[]"},
		{"", field("F", at+listed+two) + field("G", "<bitRange>[2:2]</bitRange><access>read-only</access>"), "[{F 2 2 [{0 0} {2 2}] false}]"},
		{"", field("F", at+listed+two) + `<field derivedFrom="F"><name>G</name><bitOffset>8</bitOffset></field>`,
			"[{F 2 2 [{0 0} {2 2}] false} {G 8 2 [{0 0} {2 2}] false}]"},
		{"", field("F", at+listed+two) + `<field derivedFrom="R2.F"><name>G</name><bitOffset>8</bitOffset></field>`, "[]"},
		{"", field("F", at+"<writeConstraint><range><minimum>1</minimum><maximum>2</maximum></range></writeConstraint>"), "[{F 2 2 [{1 2}] false}]"},
		{"", field("F", at+"<writeConstraint><range><minimum>0</minimum><maximum>3</maximum></range></writeConstraint>"), "[]"},
		{"", field("F", at+"<writeConstraint><writeAsRead>true</writeAsRead></writeConstraint>"+two), "[]"},
		{"", field("F", at+"<modifiedWriteValues>oneToClear</modifiedWriteValues>"), "[{F 2 2 [] true}]"},
		{"", field("F", at+"<access>write-only</access><modifiedWriteValues>oneToClear</modifiedWriteValues>"), "[]"},
		{"<modifiedWriteValues>oneToClear</modifiedWriteValues>", field("F", at), "[{F 2 2 [] true}]"},
		{"", field("F", "<bitRange>[2:3]</bitRange>"+listed+two), "[]"},
	} {
		_, list, err := parseSVD([]byte(`<device><peripherals><peripheral><name>P</name><baseAddress>0</baseAddress>
<addressBlock><offset>0</offset><size>16</size></addressBlock><registers><register><name>R</name><addressOffset>4</addressOffset>` +
			c.register + "<fields>" + c.fields + "</fields></register></registers></peripheral></peripherals></device>"))
		if err != nil || len(list) != 1 || fmt.Sprint(list[0].Fields) != c.want {
			t.Errorf("%+v: %v %v", c, list, err)
		}
	}
}
