package adopt

import (
	"reflect"
	"strings"
	"testing"
)

const keilProject = `<?xml version="1.0" encoding="UTF-8" standalone="no" ?>
<Project><Targets><Target><TargetName>board</TargetName><TargetOption>
<TargetCommonOption><Device>STM32F407VG</Device><Cpu>IRAM(0x20000000,0x20000) CPUTYPE("Cortex-M4") FPU2 CLOCK(1)</Cpu>
</TargetCommonOption><TargetArmAds><ArmAdsMisc><AdsCpuType>"Cortex-M4"</AdsCpuType></ArmAdsMisc><Cads><VariousControls>
<Define>USE_HAL,  LEVEL=2 1X</Define><IncludePath>..\inc;..\..\Pack\Include</IncludePath></VariousControls></Cads>
<Aads><VariousControls><Define>ASM</Define></VariousControls></Aads></TargetArmAds></TargetOption>
<Groups><Group><GroupName>a</GroupName><Files>
<File><FileName>a.c</FileName><FilePath>..\Src\A.c</FilePath></File>
<File><FileName>b.c</FileName><FilePath>..\src\b.c</FilePath><FileOption><CommonProperty><IncludeInBuild>0</IncludeInBuild>
</CommonProperty></FileOption></File>
<File><FileName>hal.c</FileName><FilePath>..\..\Pack\hal.c</FilePath></File>
<File><FileName>s.s</FileName><FilePath>s.s</FilePath></File></Files></Group>
<Group><GroupName>off</GroupName><GroupOption><CommonProperty><IncludeInBuild>0</IncludeInBuild></CommonProperty>
</GroupOption><Files><File><FilePath>../src/c.c</FilePath></File></Files></Group></Groups></Target>
<Target><TargetOption><TargetArmAds><Cads><VariousControls><Define>OTHER</Define></VariousControls></Cads></TargetArmAds>
</TargetOption></Target></Targets></Project>`

const iarProject = `<?xml version="1.0" encoding="iso-8859-1"?>
<project><configuration><name>Debug</name><toolchain><name>ARM</name></toolchain><settings><name>General</name><data>
<option><name>OGChipSelectEditMenu</name><state>STM32L053x8 ST STM32L053x8</state></option></data></settings>
<settings><name>ICCARM</name><data><option><name>CCDefines</name><state>USE_HAL</state><state>LEVEL=2</state></option>
<option><name>CCIncludePath2</name><state>$PROJ_DIR$\..\inc</state><state>$PROJ_DIR$\..\..\Pack\Include</state></option>
</data></settings></configuration><configuration><name>Release</name></configuration>
<group><name>a</name><group><name>` + "\xe9" + `</name><file><name>$PROJ_DIR$\..\Src\A.c</name></file></group>
<file><name>$PROJ_DIR$\..\src\b.c</name><excluded><configuration>Debug</configuration></excluded></file>
<file><name>$PROJ_DIR$\..\..\Pack\hal.c</name></file></group>
<group><name>off</name><excluded><configuration>Debug</configuration></excluded>
<file><name>$PROJ_DIR$\..\src\c.c</name></file></group></project>`

const eclipseProject = `<?xml version="1.0" encoding="UTF-8" standalone="no"?><?fileVersion 4.0.0?>
<cproject><storageModule moduleId="org.eclipse.cdt.core.settings"><cconfiguration id="debug">
<storageModule moduleId="cdtBuildSystem"><configuration name="Debug"><folderInfo><toolChain>
<option superClass="x.option.target_mcu" value="STM32F103C8Tx"/><tool>
<option superClass="x.tool.c.compiler.option.definedsymbols" valueType="definedSymbols"><listOptionValue value="USE_HAL"/>
<listOptionValue value="LEVEL=2"/></option>
<option superClass="x.tool.c.compiler.option.includepaths" valueType="includePath"><listOptionValue value="../../inc"/>
<listOptionValue value="&quot;${workspace_loc:/${ProjName}/drivers}&quot;"/><listOptionValue value="${HOME}/x"/>
<listOptionValue value="../../../Pack/Include"/></option></tool><tool>
<option superClass="x.tool.cpp.compiler.option.definedsymbols" valueType="definedSymbols">
<listOptionValue value="CPP"/></option></tool><tool>
<option superClass="x.tool.c.linker.option.script" value="${workspace_loc:/${ProjName}/f.ld}"/></tool>
</toolChain></folderInfo><sourceEntries>
<entry excluding="old|*_off.c" kind="sourcePath" name="drivers"/><entry kind="sourcePath" name="linked"/></sourceEntries>
</configuration></storageModule></cconfiguration><cconfiguration id="release"/></storageModule></cproject>`

const eclipseLinks = `<?xml version="1.0" encoding="UTF-8"?><projectDescription><name>p</name><linkedResources>
<link><name>linked/A.c</name><type>1</type><locationURI>PARENT-1-PROJECT_LOC/src/A.c</locationURI></link>
<link><name>linked/src</name><type>2</type><locationURI>PARENT-1-PROJECT_LOC/more</locationURI></link>
<link><name>other</name><type>2</type><locationURI>PARENT-1-PROJECT_LOC/src</locationURI></link>
</linkedResources></projectDescription>`

const platformIOProject = `; a comment
[platformio]
src_dir = source
default_envs = board, other

[env]
framework = stm32cube
build_flags = -DUSE_HAL

[env:other]
build_flags = -DOTHER
[env:board]
platform = ststm32@^15
board = nucleo_f103rb ; the small one
build_flags = ${env.build_flags}
  -D LEVEL=2
  -Ihw/inc -Wall
`

// TestProjectFiles: files, folders, macros and the processor of a project are those of its first configuration, without
// what that leaves out; what is not in the repository is named.
func TestProjectFiles(t *testing.T) {
	s := tree(t, map[string]string{"inc/x.h": "", "Pack": "", "ide/k.uvprojx": keilProject,
		"ide/i.ewp": iarProject, "ide/.cproject": eclipseProject, "ide/.project": eclipseLinks,
		"ide/f.ld": "SECTIONS { }", "ide/drivers/d.c": "",
		"ide/drivers/d_off.c": "", "ide/drivers/old/o.c": "", "ide/e.c": "", "pio/platformio.ini": platformIOProject,
		"pio/source/m.c": "", "pio/lib/x/x.c": "", "pio/src/no.c": "", "pio/hw/inc/h.h": "",
		"src/A.c": "", "src/b.c": "", "src/c.c": "",
		"more/m.c": ""})
	if len(s.ides) != 4 {
		t.Fatalf("%v", s.ides)
	}
	for file, want := range map[string]*project{
		"ide/k.uvprojx": {sources: []string{"src/A.c"}, include: []string{"inc"}, processor: "cortex-m4f",
			absent: []string{"../Pack/Include", "../Pack/hal.c"}},
		"ide/i.ewp": {sources: []string{"src/A.c"}, include: []string{"inc"}, processor: "cortex-m0",
			absent: []string{"../Pack/Include", "../Pack/hal.c"}},
		"ide/.cproject": {sources: []string{"ide/drivers/d.c", "src/A.c", "more/m.c"},
			include: []string{"inc", "ide/drivers"}, processor: "cortex-m3",
			absent: []string{"../Pack/Include"}, script: "ide/f.ld"},
		"pio/platformio.ini": {sources: []string{"pio/source/m.c", "pio/lib/x/x.c"}, include: []string{"pio/hw/inc"},
			processor: "cortex-m3"},
	} {
		p, err := s.readProject(file)
		if err != nil {
			t.Fatal(err)
		}
		p.processor = processorOf(p.processor)
		want.file, want.ide, want.defines = file, p.ide, []string{"USE_HAL", "LEVEL=2"}
		if !reflect.DeepEqual(p, want) {
			t.Errorf("%+v, want %+v", p, want)
		}
	}
	for words, want := range map[string]string{`CPUTYPE("Cortex-M0+")`: "cortex-m0", "MSP430 MSP430F169": "msp430",
		"nRF52840_xxAA": "cortex-m4", "ARM": "", "megaatmega2560 atmelavr": "avr", "esp32dev espressif32": "",
		"STM8": "", "8051": ""} {
		if got := processorOf(words); got != want {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
	if _, err := parseXML([]byte("<project><a></project>")); err == nil || !strings.Contains(err.Error(), "syntax") {
		t.Errorf("a torn file: %v", err)
	}
}
