package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/stack"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// stackUse holds the tables of a program, target by target, as `stack --json` writes them.
type stackUse struct {
	Version int           `json:"version"`
	Tool    verdict.Tool  `json:"tool"`
	Targets []stackTarget `json:"targets"`
}

// stackTarget is the stack of one target. Sizes are in bytes.
type stackTarget struct {
	Target     string          `json:"target"`
	Size       int64           `json:"size"`       // of the stack; 0: not known
	Entry      string          `json:"entry"`      // what begins the chain of calls
	Bytes      int64           `json:"bytes"`      // that it takes, with interrupts
	Interrupts stackInterrupts `json:"interrupts"` // of them
	Status     verdict.Status  `json:"status"`     // proved: it fits; violated: it does not; unknown
	Reason     string          `json:"reason,omitempty"`
	Without    []string        `json:"without"` // functions without a body, whose frames are not counted
	Functions  []stackFunction `json:"functions"`
	Warnings   []string        `json:"warnings,omitempty"`
}

// stackInterrupts holds the bytes that handlers take which interrupt one another, and their names, the first interrupted one first.
type stackInterrupts struct {
	Bytes int64    `json:"bytes"`
	Chain []string `json:"chain"`
}

// stackFunction is a row of the table.
type stackFunction struct {
	Name   string   `json:"name"`
	File   string   `json:"file,omitempty"`
	Line   int      `json:"line,omitempty"`
	Frame  int64    `json:"frame"`
	Bytes  int64    `json:"bytes"`
	Chain  []string `json:"chain"`
	Reason string   `json:"reason,omitempty"` // why bytes is no upper bound
}

func stackCommand() *cobra.Command {
	var req prepare.Request
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stack [FOLDER|FILE.c...]",
		Short: "How much stack each function takes at most, and the chain of calls that takes it",
		Example: `  firmproof stack
  firmproof stack src/uart.c --target cortex-m3 --cflags -Os`,
		Long: `For each function of a project (a folder with .firmproof.yml, default the current one) or of C files: the bytes of its frame
as clang lays it out with the project's flags, and the bytes of the deepest chain of calls. The handlers of the manifest's
interrupts come on top of main, one of each priority, against the stack_size of the target.

A call through a pointer may be of each function that fits. Functions without a body are not counted, and listed. Recursion,
arrays of variable length and assembly that calls something leave it open.

Exit status: 0 it fits; 1 it does not; 2 the request could not be carried out; 3 open.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Paths = args
			list, err := prepare.FramesOf(cmd.Context(), req)
			if err != nil {
				return userError(err)
			}
			out := stackUse{Version: 1, Tool: verdict.Tool{Name: "firmproof", Version: version}}
			for i := range list {
				out.Targets = append(out.Targets, stackOfTarget(&list[i]))
			}
			return out.show(cmd.OutOrStdout(), asJSON)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&req.Targets, "target", nil, "only this target (repeatable; default: the manifest's, else host)")
	f.BoolVar(&asJSON, "json", false, "write JSON")
	sourceFlags(f, &req.Include, &req.Defines)
	f.StringArrayVar(&req.CFlags, "cflags", nil, "further compiler flags for plain C files")
	return cmd
}

// stackOfTarget makes the table of a program.
func stackOfTarget(fr *prepare.Frames) stackTarget {
	out := stackTarget{Target: fr.Target.Name, Size: fr.Stack.Size, Without: []string{}, Functions: []stackFunction{},
		Interrupts: stackInterrupts{Chain: []string{}}, Warnings: fr.Notes}
	p := stack.Of(fr.Module, fr.Stack)
	for _, f := range fr.Module.Funcs {
		if f.IsDecl() {
			continue
		}
		u := p.Of(f)
		out.Functions = append(out.Functions, stackFunction{Name: f.CName, File: f.Pos.File, Line: f.Pos.Line, Frame: u.Frame,
			Bytes: u.Bytes, Chain: namesOf(u.Chain), Reason: u.Open})
	}
	slices.SortStableFunc(out.Functions, func(a, b stackFunction) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name))
	})
	var handlers []string
	for _, h := range fr.Handlers {
		handlers = append(handlers, h.Name)
	}
	worst := p.Worst(handlers)
	if worst == nil {
		out.Status, out.Reason = verdict.Unknown, "no function has a body"
		return out
	}
	nested := p.Interrupts(fr.Handlers, stack.Pushed(fr.Target.Triple, fr.Target.CFlags))
	out.Entry, out.Bytes, out.Interrupts.Bytes = worst.Func.CName, worst.Bytes+nested.Bytes, nested.Bytes
	out.Without = append(out.Without, worst.Without...)
	for _, u := range nested.Chain {
		out.Interrupts.Chain = append(out.Interrupts.Chain, u.Func.CName)
		out.Without = append(out.Without, u.Without...)
	}
	slices.Sort(out.Without)
	out.Without = slices.Compact(out.Without)
	out.Reason = cmp.Or(worst.Open, nested.Open)
	for _, f := range fr.Module.Funcs {
		if f.Handler && !f.IsDecl() && !slices.Contains(handlers, f.Name) && out.Reason == "" {
			out.Reason = f.CName + " may interrupt it, which `interrupts` of the manifest does not list"
		}
	}
	switch {
	case out.Size == 0:
		out.Status, out.Reason = verdict.Unknown, "the size of the stack is not known: `stack_size` of the target gives it"
	case out.Bytes > out.Size:
		out.Status = verdict.Violated
	case out.Reason != "":
		out.Status = verdict.Unknown
	default:
		out.Status = verdict.Proved
	}
	return out
}

func namesOf(list []*ir.Func) []string {
	out := []string{}
	for _, f := range list {
		out = append(out, f.CName)
	}
	return out
}

// show writes the table, and ends as its statuses say.
func (u *stackUse) show(w io.Writer, asJSON bool) error {
	code := exitOK
	for i := range u.Targets {
		switch u.Targets[i].Status {
		case verdict.Violated:
			code = exitViolated
		case verdict.Unknown:
			if code == exitOK {
				code = exitUnknown
			}
		}
	}
	if asJSON {
		if err := writeJSON(w, u); err != nil {
			return err
		}
	} else {
		for i := range u.Targets {
			if _, err := io.WriteString(w, u.Targets[i].text()); err != nil {
				return err
			}
		}
	}
	if code == exitOK {
		return nil
	}
	return &exitError{code: code}
}

// text is the table for people.
func (t *stackTarget) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%6s %6s  %s\n", "bytes", "frame", "chain of calls")
	for _, f := range t.Functions {
		more := ""
		if f.Reason != "" {
			more = "  or more: " + f.Reason
		}
		fmt.Fprintf(&b, "%6d %6d  %s%s\n", f.Bytes, f.Frame, strings.Join(f.Chain, " > "), more)
	}
	for _, note := range t.Warnings {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	if len(t.Without) > 0 {
		fmt.Fprintf(&b, "not counted, since they have no body: %s\n", strings.Join(t.Without, ", "))
	}
	fmt.Fprintf(&b, "%s: %s takes %d bytes", t.Target, t.Entry, t.Bytes-t.Interrupts.Bytes)
	if t.Interrupts.Bytes > 0 {
		fmt.Fprintf(&b, ", interrupts %d (%s)", t.Interrupts.Bytes, strings.Join(t.Interrupts.Chain, ", then "))
	}
	if t.Size > 0 {
		fmt.Fprintf(&b, ": %d of %d", t.Bytes, t.Size)
	}
	switch {
	case t.Status == verdict.Proved:
		b.WriteString(", it fits\n")
	case t.Status == verdict.Violated:
		b.WriteString(", it does not fit\n")
	default:
		fmt.Fprintf(&b, ", or more: %s\n", t.Reason)
	}
	return b.String()
}
