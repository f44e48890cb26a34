package sandbox

import (
	"context"

	"github.com/firmproof/firmproof/pipeline/checkout"
)

// Git runs git on other people's repositories: each command in the sandbox.
type Git struct {
	Box    *Sandbox
	Limits Limits
}

// GitLimits suit repositories of firmware.
func GitLimits() Limits {
	l := DefaultLimits()
	l.Depth = 0 // it writes what Mirror.Export measured
	l.Memory, l.Procs, l.Scratch = 1<<30, 64, 64<<20
	return l
}

// Git implements checkout.Runner.
func (g *Git) Git(ctx context.Context, c checkout.Command) (checkout.Ending, error) {
	spec := Spec{Argv: c.Argv, Dir: c.Dir, Env: c.Env, Write: c.Write, Read: c.Read, Limits: g.Limits, Stdout: c.Stdout,
		Stderr: c.Stderr, Network: c.Network, Port: c.Port}
	exit, err := g.Box.Run(ctx, spec)
	return checkout.Ending{Code: exit.Code, Killed: exit.Killed}, err
}
