package adopt

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/manifest"
)

// project holds what the project file of an IDE says of a build. Paths are relative to the repository.
type project struct {
	file, ide string
	processor string // words that name it
	sources   []string
	include   []string
	defines   []string
	script    string   // for the linker
	absent    []string // sources and folders that are named and are not in the repository
}

// projectFiles are readers of project files by the end of their names.
var projectFiles = []struct {
	end, ide string
	read     func(p *project, text []byte, s *Survey) error
}{
	{".cproject", "Eclipse", inXML((*project).eclipse)},
	{".uvprojx", "Keil", inXML((*project).keil)},
	{".uvproj", "Keil", inXML((*project).keil)},
	{".ewp", "IAR", inXML((*project).iar)},
	{"platformio.ini", "PlatformIO", (*project).platformIO},
}

// inXML returns a reader of a text in XML.
func inXML(read func(*project, *node, *Survey) error) func(*project, []byte, *Survey) error {
	return func(p *project, text []byte, s *Survey) error {
		root, err := parseXML(text)
		if err != nil {
			return err
		}
		return read(p, root, s)
	}
}

// isProjectFile reports whether a file is the project file of an IDE.
func isProjectFile(name string) bool {
	for _, k := range projectFiles {
		if strings.HasSuffix(name, k.end) {
			return true
		}
	}
	return false
}

// readProject reads the project file of an IDE.
func (s *Survey) readProject(file string) (*project, error) {
	text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	p := &project{file: file}
	for _, k := range projectFiles {
		if strings.HasSuffix(file, k.end) {
			p.ide = k.ide
			if err := k.read(p, text, s); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s: no project file of an IDE", file)
}

// source adds a source file, if it is one in C, by its path from the folder of the project file.
func (p *project) source(s *Survey, file string) {
	if strings.EqualFold(path.Ext(file), ".c") {
		p.there(s, &p.sources, file)
	}
}

// macro is how definitions of macros look.
var macro = regexp.MustCompile(`^[A-Za-z_]\w*(=.*)?$`)

// define adds the definitions of macros of a list.
func (p *project) define(list ...string) {
	for _, d := range list {
		if d = strings.Trim(strings.TrimSpace(d), `"`); macro.MatchString(d) && !slices.Contains(p.defines, d) {
			p.defines = append(p.defines, d)
		}
	}
}

// there adds the file or folder that a project file names, if it is in the repository.
func (p *project) there(s *Survey, list *[]string, name string) {
	name = strings.ReplaceAll(strings.Trim(strings.TrimSpace(name), `"`), `\`, "/")
	if name == "" {
		return
	}
	full := path.Join(path.Dir(p.file), name)
	rel, ok := exactly(s.root, full)
	switch {
	case !ok:
		p.absent = append(p.absent, full)
	case !slices.Contains(*list, rel):
		*list = append(*list, rel)
	}
}

// exactly returns a path below root as the disk has it, where the case of letters may differ; false: there is none.
func exactly(root, name string) (string, bool) {
	if path.IsAbs(name) || strings.Contains(name, ":") || strings.HasPrefix(name, "..") {
		return "", false
	}
	out := "."
	for part := range strings.SplitSeq(name, "/") {
		entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(out)))
		if err != nil {
			return "", false
		}
		i := slices.IndexFunc(entries, func(e os.DirEntry) bool { return e.Name() == part })
		if i < 0 {
			i = slices.IndexFunc(entries, func(e os.DirEntry) bool { return strings.EqualFold(e.Name(), part) })
		}
		switch {
		case part == ".":
		case i < 0:
			return "", false
		default:
			out = path.Join(out, entries[i].Name())
		}
	}
	return out, true
}

// split returns the parts of a list in a project file.
func split(list, separators string) []string {
	return strings.FieldsFunc(list, func(c rune) bool { return strings.ContainsRune(separators, c) })
}

// processors are the targets of chips, by how their names begin.
var processors = []struct{ target, names string }{
	{"cortex-m0", "STM32[CFGLU]0|nRF51|nordicnrf51|LPC11|LPC8|MKL|(?:atmel)?SAMD|RP2040|raspberrypi"},
	{"cortex-m3", "STM32F[12]|STM32L1|GD32F1|LPC1[378]|EFM32G"},
	{"cortex-m4", "STM32F[34]|STM32[LG]4|STM32W[BL]|GD32F[34]|nRF52|nordicnrf52|LPC4|MK[2-8]|TM4C|LM4F|SAM[EG]5"},
	{"cortex-m7", "STM32[FH]7|MIMXRT|SAM[ESV]7"},
	{"cortex-m33", "STM32[LUH]5|nRF53|nRF91|LPC55"},
	{"msp430", "(?:ti)?MSP430"},
	{"avr", "AT(?:mega|tiny|xmega|90|melavr)"},
}

var (
	coreName  = regexp.MustCompile(`(?i)cortex[-.]?(m\d+)`)
	hardFloat = regexp.MustCompile(`(?i)\bFPU2\b|abi\.value\.hard|float-abi=hard`)
)

// processorOf returns the target that words about a processor mean, "" where none is known.
func processorOf(words string) string {
	target := ""
	if m := coreName.FindStringSubmatch(words); m != nil && hasTarget("cortex-"+strings.ToLower(m[1])) {
		target = "cortex-" + strings.ToLower(m[1])
	}
	for _, c := range processors {
		if target == "" && regexp.MustCompile(`(?i)\b(?:`+c.names+`)`).MatchString(words) {
			target = c.target
		}
	}
	if target == "cortex-m4" && hardFloat.MatchString(words) {
		return "cortex-m4f"
	}
	return target
}

// project tries what the project file of an IDE lists.
func (f *finder) project(ctx context.Context, file string) (*attempt, error) {
	p, err := f.survey.readProject(file)
	if err != nil {
		return nil, err
	}
	if len(p.sources) == 0 {
		return nil, fmt.Errorf("none of the C files that it lists is here%s", p.elsewhere())
	}
	target, why := processorOf(p.processor), file+" is for it"
	var questions []string
	if target == "" {
		target, why = targetOf(f.survey.words.String(), "the build files")
		questions = append(questions, fmt.Sprintf("which of `firmproof targets` is %s for?", file))
	}
	a, err := f.plainOn(ctx, manifest.Build{Sources: p.sources, Include: p.include, Defines: p.defines,
		LinkerScript: p.script}, target, why)
	if err != nil {
		return nil, err
	}
	a.said = fmt.Sprintf("%d of %d C files of %s (%s)", len(a.kept), len(p.sources), file, p.ide)
	a.questions = questions
	others := slices.DeleteFunc(slices.Clone(f.survey.ides), func(o string) bool { return o == file })
	if len(others) > 0 {
		a.questions = append(a.questions, fmt.Sprintf("is %s the project to verify? There are others: %s", file,
			some(others)))
	}
	if len(p.absent) > 0 {
		a.questions = append(a.questions, fmt.Sprintf(
			"%s lists what is not in this folder (%s): where it is put there, `firmproof init --force` takes it in",
			file, some(p.absent)))
	}
	return a, nil
}

// elsewhere names what a project file lists and is not in the repository.
func (p *project) elsewhere() string {
	if len(p.absent) == 0 {
		return ""
	}
	return ": " + some(p.absent)
}
