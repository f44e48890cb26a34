package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// small writes a picture anew with at most 256 colours: as many high bits of each are kept as that allows.
func small(text []byte) ([]byte, error) {
	in, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	coder := png.Encoder{CompressionLevel: png.BestCompression}
	for drop := uint(0); drop < 8; drop++ {
		if out := withColours(in, drop); out != nil {
			err := coder.Encode(&buf, out)
			return buf.Bytes(), err
		}
	}
	return text, nil
}

// withColours is the picture without the lowest bits of its colours; nil if there are more than a palette holds.
func withColours(in image.Image, drop uint) *image.Paletted {
	b := in.Bounds()
	out := image.NewPaletted(b, nil)
	index := map[color.RGBA]uint8{}
	round := func(v uint32) uint8 { return uint8(min(255, (v>>8+1<<drop>>1)>>drop<<drop)) }
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			red, green, blue, _ := in.At(x, y).RGBA()
			c := color.RGBA{round(red), round(green), round(blue), 255}
			n, known := index[c]
			if !known {
				if len(out.Palette) == 256 {
					return nil
				}
				n = uint8(len(out.Palette))
				index[c] = n
				out.Palette = append(out.Palette, c)
			}
			out.SetColorIndex(x, y, n)
		}
	}
	return out
}
