package main

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"
)

// small writes a picture anew with its 256 most frequent colours, the others as the nearest of them.
func small(text []byte) ([]byte, error) {
	in, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	count := map[color.RGBA]int{}
	b := in.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[color.RGBAModel.Convert(in.At(x, y)).(color.RGBA)]++
		}
	}
	list := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G),
			cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range list[:min(256, len(list))] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	for c := range count {
		nearest[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(b, palette)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			out.SetColorIndex(x, y, nearest[color.RGBAModel.Convert(in.At(x, y)).(color.RGBA)])
		}
	}
	var buf bytes.Buffer
	coder := png.Encoder{CompressionLevel: png.BestCompression}
	err = coder.Encode(&buf, out)
	return buf.Bytes(), err
}
