// Package docs has the documents that a folder of evidence brings along: what is modelled, what is trusted, and how the
// tool itself is validated.
package docs

import "embed"

// OfTheTool are documents about what answers mean and how far the tool was tested.
//
//go:embed SEMANTICS.md LLVM.md CERTIFICATES.md mutation.md soundness-corrections.md
var OfTheTool embed.FS
