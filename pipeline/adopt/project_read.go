package adopt

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// node is an element of XML.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Nodes   []*node    `xml:",any"`
}

// parseXML reads a text of XML; one that is not UTF-8 is taken for Latin 1.
func parseXML(text []byte) (*node, error) {
	if !utf8.Valid(text) {
		var b strings.Builder
		for _, c := range text {
			b.WriteRune(rune(c))
		}
		text = []byte(b.String())
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	root := &node{}
	return root, d.Decode(root)
}

func (n *node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// all lists the elements that a path of names leads to; "**" stands for any depth.
func (n *node) all(names ...string) []*node {
	if n == nil {
		return nil
	}
	if len(names) == 0 {
		return []*node{n}
	}
	var out []*node
	if names[0] == "**" {
		out = n.all(names[1:]...)
	}
	for _, c := range n.Nodes {
		switch names[0] {
		case "**":
			out = append(out, c.all(names...)...)
		case c.XMLName.Local:
			out = append(out, c.all(names[1:]...)...)
		}
	}
	return out
}

// text returns the text of the first element that a path of names leads to.
func (n *node) text(names ...string) string {
	if list := n.all(names...); len(list) > 0 {
		return strings.TrimSpace(list[0].Text)
	}
	return ""
}

var errNoTarget = errors.New("it has no configuration")

// keil reads a project of Keil µVision: its first target.
func (p *project) keil(root *node, s *Survey) error {
	targets := root.all("Targets", "Target")
	if len(targets) == 0 {
		return errNoTarget
	}
	t := targets[0]
	common := t.all("TargetOption", "TargetCommonOption")
	if len(common) == 0 {
		return errNoTarget
	}
	p.processor = common[0].text("Cpu") + " " + common[0].text("Device") + " " + t.text("**", "AdsCpuType")
	for _, c := range t.all("TargetOption", "TargetArmAds", "Cads", "VariousControls") {
		p.define(split(c.text("Define"), ", ")...)
		for _, dir := range split(c.text("IncludePath"), ";") {
			p.there(s, &p.include, dir)
		}
	}
	left := func(n *node, option string) bool {
		return n.text(option, "CommonProperty", "IncludeInBuild") == "0"
	}
	for _, g := range t.all("Groups", "Group") {
		for _, file := range g.all("Files", "File") {
			if !left(g, "GroupOption") && !left(file, "FileOption") {
				p.source(s, file.text("FilePath"))
			}
		}
	}
	return nil
}

// iar reads a project of IAR Embedded Workbench: its first configuration.
func (p *project) iar(root *node, s *Survey) error {
	configurations := root.all("configuration")
	if len(configurations) == 0 {
		return errNoTarget
	}
	c := configurations[0]
	here := func(name string) string { return strings.ReplaceAll(name, "$PROJ_DIR$", ".") }
	p.processor = c.text("toolchain", "name")
	for _, o := range c.all("settings", "data", "option") {
		for _, state := range o.all("state") {
			switch o.text("name") {
			case "CCDefines":
				p.define(state.Text)
			case "CCIncludePath2", "newCCIncludePaths":
				p.there(s, &p.include, here(state.Text))
			case "OGChipSelectEditMenu", "OGChipConfigMenu", "DeviceSelect":
				p.processor += " " + state.Text
			}
		}
	}
	left := func(n *node) bool {
		return slices.ContainsFunc(n.all("excluded", "configuration"), func(e *node) bool {
			return strings.TrimSpace(e.Text) == c.text("name")
		})
	}
	var walk func(n *node)
	walk = func(n *node) {
		for _, file := range n.all("file") {
			if !left(file) {
				p.source(s, here(file.text("name")))
			}
		}
		for _, g := range n.all("group") {
			if !left(g) {
				walk(g)
			}
		}
	}
	walk(root)
	return nil
}

var (
	otherTool = regexp.MustCompile(`(?i)cpp|c\+\+|assembl|linker`)
	workspace = regexp.MustCompile(
		`\$\{workspace_loc:/[^/]*(?:\$\{ProjName\})?/?([^}]*)\}|\$\{(?:ProjDirPath|PROJECT_LOC)\}/?`)
	parent = regexp.MustCompile(`^PARENT-(\d)-PROJECT_LOC/`)
)

// eclipse reads a project of Eclipse CDT (STM32CubeIDE, MCUXpresso, Code Composer): its first configuration.
func (p *project) eclipse(root *node, s *Survey) error {
	configurations := root.all("storageModule", "cconfiguration")
	if len(configurations) == 0 {
		return errNoTarget
	}
	c := configurations[0]
	for _, o := range c.all("**", "option") {
		kind, value := o.attr("superClass"), o.attr("value")
		switch {
		case strings.HasSuffix(kind, "target_mcu"), strings.Contains(kind, "floatabi"),
			strings.Contains(strings.ToLower(kind), "mcpu"), strings.Contains(kind, "DEVICE_CONFIGURATION_ID"):
			p.processor += " " + value
		case strings.HasSuffix(kind, "linker.option.script"):
			p.linkerScript(s, value)
		case otherTool.MatchString(kind):
			continue
		}
		for _, item := range o.all("listOptionValue") {
			switch v := item.attr("value"); o.attr("valueType") {
			case "definedSymbols":
				p.define(v)
				p.processor += " " + v
			case "includePath":
				if dir, ok := inProject(v); ok {
					p.there(s, &p.include, dir)
				}
			}
		}
	}
	return p.eclipseSources(c.all("**", "sourceEntries", "entry"), s)
}

// inProject returns a path of Eclipse from the folder of the project; false: it is not known.
func inProject(value string) (string, bool) {
	value = strings.Trim(strings.TrimSpace(value), `"`)
	said := workspace.ReplaceAllString(value, "$1")
	if said == value { // from the folder of the build
		said = path.Join("Debug", value)
	}
	return path.Clean("./" + said), !strings.Contains(said, "$")
}

func (p *project) linkerScript(s *Survey, value string) {
	var found []string
	if script, ok := inProject(value); ok {
		p.there(s, &found, script)
	}
	if len(found) == 1 {
		p.script = found[0]
	}
}

// eclipseSources adds the C files of the folders that a configuration compiles, and of those that are linked to.
func (p *project) eclipseSources(entries []*node, s *Survey) error {
	seen := map[string]string{} // by the path that the project knows: from the folder of the project
	dir := path.Dir(p.file)
	place := func(name, folder string) {
		for _, file := range s.sources {
			if rest, ok := below(path.Join(dir, folder), file); ok {
				seen[path.Join(name, rest)] = path.Join(folder, rest)
			}
		}
	}
	place("", ".")
	if links, err := s.links(path.Join(dir, ".project")); err != nil {
		return err
	} else {
		for name, at := range links {
			if strings.EqualFold(path.Ext(at), ".c") {
				seen[name] = at
			} else {
				place(name, at)
			}
		}
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		if compiled(entries, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		p.source(s, seen[name])
	}
	return nil
}

// below returns the path of a file from a folder that it is in.
func below(folder, file string) (string, bool) {
	if folder == "." {
		return file, true
	}
	return strings.CutPrefix(file, folder+"/")
}

// compiled reports whether one of the source entries of a configuration takes a file in; without entries, all do.
func compiled(entries []*node, name string) bool {
	for _, e := range entries {
		rest, in := below(path.Clean("./"+e.attr("name")), name)
		if e.attr("kind") != "sourcePath" || !in {
			continue
		}
		if !slices.ContainsFunc(strings.Split(e.attr("excluding"), "|"), func(pattern string) bool {
			_, inside := strings.CutPrefix(rest, strings.TrimSuffix(pattern, "/")+"/")
			match, err := path.Match(pattern, rest)
			return pattern != "" && (inside || match && err == nil)
		}) {
			return true
		}
	}
	return len(entries) == 0
}

// links lists the files and folders that a project of Eclipse links to, by their names in it: from the folder of the
// project.
func (s *Survey) links(file string) (map[string]string, error) {
	text, err := readPart(path.Join(s.root, file))
	if err != nil {
		return nil, nil // it has none
	}
	root, err := parseXML(text)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, l := range root.all("linkedResources", "link") {
		at := l.text("locationURI") + l.text("location")
		if m := parent.FindStringSubmatch(at); m != nil {
			at = strings.Repeat("../", int(m[1][0]-'0')) + at[len(m[0]):]
		}
		at = strings.TrimPrefix(at, "PROJECT_LOC/")
		if !strings.ContainsAny(at, "$:") && !path.IsAbs(at) {
			out[l.text("name")] = at
		}
	}
	return out, nil
}
