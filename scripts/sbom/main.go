// Command sbom prints what a Go program was made of, as a CycloneDX document: the modules that its build information
// names, Go itself, and the Debian packages that it needs. The same program gives the same bytes.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
)

type document struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Ref     string `json:"bom-ref"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PURL    string `json:"purl,omitempty"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

func main() {
	version := flag.String("version", "", "of the program")
	arch := flag.String("arch", "", "Debian's `name` of the architecture")
	needs := flag.String("needs", "", "Debian packages with commas, as in a control file")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: sbom [flags] PROGRAM")
		os.Exit(2)
	}
	text, err := bill(flag.Arg(0), *version, *arch, *needs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
	os.Stdout.Write(text)
}

// bill returns the document of a program.
func bill(program, version, arch, needs string) ([]byte, error) {
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	sum := sha256.Sum256(data)
	self := component{Ref: "firmproof", Type: "application", Name: "firmproof", Version: version,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}}
	golang := strings.TrimPrefix(info.GoVersion, "go")
	parts := []component{{Type: "library", Name: "std", Version: golang, PURL: "pkg:golang/std@" + golang}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, component{Type: "library", Name: m.Path, Version: m.Version,
			PURL: "pkg:golang/" + m.Path + "@" + url.PathEscape(m.Version)})
	}
	parts = append(parts, debian(needs, arch)...)
	uses := dependency{Ref: self.Ref}
	for i := range parts {
		parts[i].Ref = parts[i].PURL
		uses.DependsOn = append(uses.DependsOn, parts[i].Ref)
	}
	out, err := json.MarshalIndent(document{"CycloneDX", "1.5", 1, metadata{self}, parts, []dependency{uses}}, "", " ")
	return append(out, '\n'), err
}

var packageRE = regexp.MustCompile(`^([a-z0-9][a-z0-9.+-]*)(?: \(>= ([^)]+)\))?$`)

// debian returns the packages of a control file's list, each once, of alternatives the first. The oldest version that will
// do stands as their version.
func debian(list, arch string) []component {
	var out []component
	for _, p := range strings.Split(list, ",") {
		p, _, _ = strings.Cut(p, "|")
		m := packageRE.FindStringSubmatch(strings.TrimSpace(p))
		if m == nil {
			continue
		}
		purl := "pkg:deb/debian/" + url.PathEscape(m[1])
		if m[2] != "" {
			purl += "@" + url.PathEscape(m[2])
		}
		c := component{Type: "library", Name: m[1], Version: m[2], PURL: purl + "?arch=" + arch}
		if !slices.ContainsFunc(out, func(o component) bool { return o.PURL == c.PURL }) {
			out = append(out, c)
		}
	}
	return out
}
