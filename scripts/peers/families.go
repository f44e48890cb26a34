package main

import (
	"embed"
	"os"
	"path/filepath"
)

// sources are the programs; the macro N is their size. All of them are right.
//
//go:embed families/*.c
var sources embed.FS

// family is one of them: its sizes, and how many turns its loops take at most.
type family struct {
	name  string
	sizes []int
	turns func(n int) int
}

var families = []family{
	{"cobs", []int{4, 8, 16}, plus(3)},
	{"base64", []int{6, 12, 24}, func(n int) int { return n/3*4 + 2 }},
	{"ring", []int{10, 20, 40}, plus(1)},
	{"tlv", []int{32, 128, 512}, plus(1)},
	{"crc", []int{16, 64, 256}, func(n int) int { return max(n, 8) + 1 }},
	{"list", []int{8, 16, 32}, plus(1)},
	{"sort", []int{4, 6, 8}, plus(1)},
	{"strings", []int{16, 64, 128}, plus(1)},
	{"filter", []int{4, 8, 16}, plus(1)},
	{"machine", []int{50, 200, 800}, plus(1)},
	{"heap", []int{4, 8, 12}, func(n int) int { return max(n, 4) + 1 }},
	{"clock", []int{1}, plus(1)},
}

func plus(d int) func(int) int { return func(n int) int { return n + d } }

// write puts the program into a file in dir and returns its path.
func (f family) write(dir string) (string, error) {
	text, err := sources.ReadFile("families/" + f.name + ".c")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, f.name+".c")
	return path, os.WriteFile(path, text, 0o600)
}
