package compile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/firmproof/firmproof/pipeline/files"
)

// The cache holds units by two names. That of a text (key) leads to a unit, or to the other name, of what the unit takes
// from its headers (sharedKey): that unit serves all texts which differ in nothing that matters to the IR.

// meta holds what the cache keeps next to a unit's IR.
type meta struct {
	Implicit []string         `json:"implicit,omitempty"`
	Frames   map[string]int64 `json:"frames,omitempty"`
	NoCode   string           `json:"no_code,omitempty"`
	Said     string           `json:"said,omitempty"` // the compiler's first messages
	Digest   string           `json:"digest"`         // of the IR: a file that a crash left half written is no unit

	Shared string `json:"shared,omitempty"` // nothing else is here: the other name
}

// unit finds the unit of a text, whose name is key, in the cache, or compiles it.
func (c *compilation) unit(ctx context.Context, key string, text []byte, deps []string) (*Unit, error) {
	if u, ok := c.cached(c.shared(key)); ok {
		return u, nil
	}
	shared, ok := c.sharedKey(c.flags, text, deps)
	if ok {
		if u, ok := c.cached(shared); ok {
			if c.accepts(ctx, u) {
				return u, c.lead(key, shared)
			}
			shared = key // the compiler says another thing of this text
		}
	} else {
		shared = key
	}
	m, err := c.compile(ctx, text)
	if err != nil {
		return nil, err
	}
	u, err := store(c.out, c.stored(shared), m)
	if err == nil && shared != key {
		err = c.lead(key, shared)
	}
	return u, err
}

// accepts reports whether the compiler takes the unit as it is now, and says of it what it said of u.
func (c *compilation) accepts(ctx context.Context, u *Unit) bool {
	res, err := c.run(ctx, append(slices.Clone(c.flags), "-fsyntax-only", "--", c.File)...)
	return err == nil && res.ExitCode == 0 && string(res.Stderr) == u.said
}

// stored is where the cache has a unit.
func (r *Request) stored(key string) string { return filepath.Join(r.CacheDir, key+".ll") }

// lead lets one name of a unit lead to the other.
func (r *Request) lead(key, shared string) error {
	data, err := json.Marshal(meta{Shared: shared})
	if err == nil {
		err = files.Write(r.stored(key)+".json", data, 0o644)
	}
	if err != nil {
		return &InfraError{"cache", err}
	}
	return nil
}

// shared returns the name that key leads to.
func (r *Request) shared(key string) string {
	for _, dir := range []string{r.CacheDir, r.Units} {
		if dir == "" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, key+".ll.json"))
		var m meta
		if err == nil && json.Unmarshal(data, &m) == nil && m.Shared != "" && filepath.Base(m.Shared) == m.Shared {
			if dir == r.Units && r.lead(key, m.Shared) != nil {
				continue
			}
			return m.Shared
		}
	}
	return key
}

// cached looks a unit up; one from the cache that is only read is copied.
func (r *Request) cached(key string) (*Unit, bool) {
	stored := r.stored(key)
	if u, ok := readCached(stored); ok || r.Units == "" {
		return u, ok
	}
	old, ok := readCached(filepath.Join(r.Units, filepath.Base(stored)))
	if !ok {
		return nil, false
	}
	u, err := store(old.IRPath, stored, meta{Implicit: old.Implicit, Frames: old.Frames, NoCode: old.NoCode, Said: old.said})
	if err != nil {
		return nil, false
	}
	u.Cached = true
	return u, true
}

func readCached(path string) (*Unit, bool) {
	data, err := os.ReadFile(path + ".json")
	if err != nil {
		return nil, false
	}
	var m meta
	if json.Unmarshal(data, &m) != nil {
		return nil, false
	}
	if sum, err := digest(path); err != nil || sum != m.Digest {
		return nil, false
	}
	return &Unit{IRPath: path, Cached: true, Implicit: m.Implicit, Frames: m.Frames, NoCode: m.NoCode, said: m.Said}, true
}

// store moves a unit into the cache: the meta data first, so that whoever sees
// the IR sees both.
func store(from, to string, m meta) (*Unit, error) {
	ir, err := os.ReadFile(from)
	if err != nil {
		return nil, &InfraError{"cache", err}
	}
	sum := sha256.Sum256(ir)
	m.Digest = hex.EncodeToString(sum[:])
	data, err := json.Marshal(m)
	if err == nil {
		err = files.Write(to+".json", data, 0o644)
	}
	if err == nil {
		err = files.Write(to, ir, 0o644)
	}
	if err != nil {
		return nil, &InfraError{"cache", err}
	}
	return &Unit{IRPath: to, Implicit: m.Implicit, Frames: m.Frames, NoCode: m.NoCode, said: m.Said}, nil
}
