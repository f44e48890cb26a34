package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// must runs a tool that has to succeed.
func (r *replayer) must(ctx context.Context, argv ...string) error {
	said, code, err := r.command(ctx, nil, argv...)
	if err != nil {
		return err
	}
	if code != 0 {
		return fmt.Errorf("replay: %s fails:\n%s", filepath.Base(argv[0]), said)
	}
	return nil
}

// sanitize returns what units are compiled with; the first of it is what they are linked with, too.
func (r *replayer) sanitize() []string {
	ub := "undefined,float-divide-by-zero"
	switch r.h.claim.Check { // else the program goes on past the claim
	case verdict.UnsignedOverflow:
		ub += ",unsigned-integer-overflow"
	case verdict.Conversion:
		ub += ",implicit-conversion"
	case verdict.FloatConversion:
		ub += ",float-cast-overflow"
	}
	switch {
	case r.h.arm:
		return append([]string{"-fsanitize=" + ub, "-fsanitize-trap=all"}, r.zeros()...)
	case r.h.claim.Check == verdict.Uninitialised && r.t.PointerBits == 64:
		return []string{"-fsanitize=memory", "-fsanitize-memory-track-origins", "-fno-sanitize-recover=all"}
	}
	return append([]string{"-fsanitize=address," + ub, "-fsanitize-address-use-after-scope", "-fno-sanitize-recover=all"},
		r.zeros()...)
}

// zeros has automatic variables begin as zero: clang before 16 wants to be told twice, and later ones do not know that word.
func (r *replayer) zeros() []string {
	out := []string{"-ftrivial-auto-var-init=zero"}
	if r.llvm.Version < 16 {
		out = append(out, "-enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang")
	}
	return out
}

// compile makes objects of the sources with the sanitizers, and of the harness without.
func (r *replayer) compile(ctx context.Context, include string) ([]string, error) {
	flags := append([]string{r.llvm.Clang}, r.t.Flags()...)
	flags = append(flags, "-O0", "-g", "-w", "-fno-omit-frame-pointer", "-Wno-error")
	flags = append(flags, r.llvm.ArrayFlags()...)
	if r.h.arm && slices.ContainsFunc(r.fl.sources, compile.IsCXX) {
		return nil, errors.New("replay runs C++ on the host and on x86 alone: check with --target x86_64 or i386")
	}
	if dirs, ok := r.t.HeaderDirs(); ok && r.h.arm {
		flags = append(flags, "-nostdlibinc")
		for _, d := range dirs {
			flags = append(flags, "-isystem", d)
		}
	}
	harnessObject := filepath.Join(r.work, "harness.o")
	if err := r.must(ctx, append(slices.Clone(flags), "-std=gnu11", "-fno-builtin", "-c",
		filepath.Join(r.work, "harness.c"), "-o", harnessObject)...); err != nil {
		return nil, err
	}
	flags = append(flags, "-isystem", include)
	for _, d := range slices.Concat(r.fl.sourceInc, r.fl.include) {
		flags = append(flags, "-I"+d)
	}
	for _, d := range slices.Concat(r.fl.sourceDefine, r.fl.defines) {
		flags = append(flags, "-D"+d)
	}
	if r.h.entry != "main" {
		flags = append(flags, "-Dmain=firmproof_program_main")
	}
	flags = append(append(flags, r.fl.cflags...), r.sanitize()...)
	objects := []string{harnessObject}
	if d := r.h.driven; d != nil {
		path := filepath.Join(r.work, "driven.c")
		if err := os.WriteFile(path, []byte(d.part()), 0o644); err != nil {
			return nil, err
		}
		r.fl.sources = append(r.fl.sources, path)
	}
	for i, s := range r.fl.sources {
		o := filepath.Join(r.work, fmt.Sprintf("unit%d.o", i))
		if err := r.must(ctx, slices.Concat(flags[:1], compile.Language(s), flags[1:], []string{"-c", s, "-o",
			o})...); err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
	return objects, nil
}

// library compiles the files of our C library that the trace has inputs in: the
// program gets them instead of the real functions, for the inputs to mean the same.
func (r *replayer) library(ctx context.Context) (objects, wrapped []string, err error) {
	seen := map[string]bool{}
	for _, in := range r.h.inputs {
		text, functions, ok := compile.LibraryFile(in.Pos.File)
		if !ok || seen[in.Pos.File] {
			continue
		}
		seen[in.Pos.File] = true
		src := filepath.Join(r.work, "library-"+filepath.Base(in.Pos.File))
		text = append(slices.Clone(text), stubs(text)...)
		if err := os.WriteFile(src, text, 0o644); err != nil {
			return nil, nil, err
		}
		argv := append(append([]string{r.llvm.Clang}, r.t.Flags()...), "-O0", "-g", "-std=gnu11", "-w", "-fno-builtin",
			"-fno-omit-frame-pointer", "-c", src, "-o", src+".o")
		for _, f := range functions {
			argv = append(argv, fmt.Sprintf("-D%s=__wrap_%s", f, f))
		}
		if err := r.must(ctx, argv...); err != nil {
			return nil, nil, err
		}
		objects, wrapped = append(objects, src+".o"), append(wrapped, functions...)
	}
	return objects, wrapped, nil
}

var inputNames = regexp.MustCompile(`(?m)^[^\s/][^(\n]*\b` +
	`(?:__VERIFIER_nondet_\w+\(void\)|firmproof_unmodelled\(const char \*what\)|` +
	`__CPROVER_same_object\(.*\)|__CPROVER_POINTER_OFFSET\(.*\));$`)

// stubs defines, weakly, the inputs that a file of the library declares: the trace
// may have none of some. The library asks whether two pointers lead to one object before it compares them; on a machine
// all addresses compare.
func stubs(text []byte) []byte {
	var out []byte
	for _, d := range inputNames.FindAll(text, -1) {
		name := strings.TrimSuffix(string(d), ";")
		body := " { return 0; }\n"
		switch {
		case strings.HasPrefix(name, "void "):
			body = " {}\n"
		case strings.Contains(name, "same_object"):
			body = " { return 1; }\n"
		case strings.Contains(name, "POINTER_OFFSET"):
			body = " { return (__SIZE_TYPE__)p; }\n"
		}
		out = append(out, "\n__attribute__((weak)) "+name+body...)
	}
	return out
}

func (r *replayer) linkNative(image string) []string {
	driver := r.llvm.Clang
	if slices.ContainsFunc(r.fl.sources, compile.IsCXX) {
		driver = r.llvm.ClangXX
	}
	return append(append([]string{driver}, r.t.Flags()...), append(r.sanitize()[:1:1], "-o", image, "-lm")...)
}

// linkBare links with Arm's own compiler driver, which knows the libraries of the core.
func (r *replayer) linkBare(image string) ([]string, error) {
	script := filepath.Join(r.work, "image.ld")
	rom, ram := r.t.Run.ROM, r.t.Run.RAM
	text := fmt.Sprintf(`ENTRY(fp_reset)
MEMORY { ROM (rx) : ORIGIN = 0x%x, LENGTH = 0x%x
 RAM (rwx) : ORIGIN = 0x%x, LENGTH = 0x%x }
SECTIONS {
 .text : { KEEP(*(.fp_vectors)) *(.text* .rodata* .init .fini .ARM.ext* .ARM.ex*) . = ALIGN(4); } > ROM
 .data : { fp_data_start = .; *(.data*) . = ALIGN(4); fp_data_end = .; } > RAM AT > ROM
 fp_data_from = LOADADDR(.data);
 .bss (NOLOAD) : { fp_bss_start = .; *(.bss* COMMON) . = ALIGN(8); fp_bss_end = .; end = .; } > RAM
 fp_stack_top = ORIGIN(RAM) + LENGTH(RAM);
}
`, rom.Base, rom.Size, ram.Base, ram.Size)
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		return nil, err
	}
	argv := []string{"arm-none-eabi-gcc", "-mcpu=" + r.t.CPU, "-mthumb"}
	for _, f := range r.t.CFlags {
		if strings.HasPrefix(f, "-mfloat-abi") || strings.HasPrefix(f, "-mfpu") {
			argv = append(argv, f)
		}
	}
	return append(argv, "-nostartfiles", "--specs=nosys.specs", "-Wl,--no-warnings", "-Wl,-T", script, "-o", image), nil
}
