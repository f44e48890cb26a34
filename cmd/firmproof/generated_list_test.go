package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// listC walks a list that its constructor leaves empty, as a circle; each node is the head of a larger structure. The
// constructor leaves null in a pointer of which nobody asks whether it is.
const listC = `#include <stdlib.h>
struct node { struct node *next; };
struct seg { struct node node; unsigned number; };
struct conn { unsigned id; struct node sent; int *last; };
static int t[8];
struct conn *create(unsigned id) {
  struct conn *c = malloc(sizeof *c);
  if (!c) return 0;
  c->id = id;
  c->sent.next = &c->sent;
  c->last = 0;
  return c;
}
int input(struct conn *c, unsigned id, unsigned len) {
  if (id != c->id) return -1;
  for (struct node *p = c->sent.next; p != &c->sent; p = p->next)
    if (len < ((struct seg *)p)->number) break;
  free(c->last);
  c->last = 0;
  return len < 8 ? t[len] : 0;
}
int peek(const struct conn *c) { return *c->last; }
`

// TestEmptyLists: what executions come to behind the list is found by way of the constructor. Where there is none, it is
// said to rest on how much a node leads to, or to come only past what is open. That callers set the pointer which is left
// null is left to them.
func TestEmptyLists(t *testing.T) {
	maker, rest := strings.Index(listC, "struct conn *create"), strings.Index(listC, "int input")
	without := listC[:maker] + "void set(struct conn *c, unsigned v) { c->id = v; }\n" + listC[rest:]
	for name, c := range map[string]struct {
		code  string
		found bool
	}{
		"right":               {listC, false},
		"an element too far":  {strings.Replace(listC, "len < 8", "len <= 8", 1), true},
		"no constructor":      {strings.Replace(without, "len < 8", "len <= 8", 1), false},
		"no constructor, too": {without, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, rep, errs := checkJSON(t, filepath.Join(writeTree(t, map[string]string{"src.c": c.code}), "src.c"), "--target", "x86_64")
			seen := false
			for _, r := range rep.Results {
				if strings.HasSuffix(r.Entry, "peek") && r.Status == verdict.Violated {
					t.Errorf("peek is violated\n%s", errs)
				}
				for _, at := range r.Claims {
					if verdict.Site(at.ID) != "memory@input#cef3a4" { // t[len]
						continue
					}
					seen = true
					rests := slices.ContainsFunc(r.RestsOn(&at), func(a verdict.Assumption) bool {
						return a.Relation == verdict.Extent && a.Subject == "c.sent.next" && a.Guessed()
					})
					past := at.Status == verdict.Unknown && at.Reason.Past
					if c.found != (at.Status == verdict.Violated) || !c.found && !rests && !past {
						t.Errorf("%s is %s: %s\n%s", at.ID, at.Status, at.Message, errs)
					}
				}
			}
			if !seen {
				t.Errorf("nothing is said of t[len]\n%s", errs)
			}
		})
	}
}

// TestSimulationOfEmptyLists: likewise in a change.
func TestSimulationOfEmptyLists(t *testing.T) {
	t.Parallel()
	thereAndBack(t, listC, "len < 8", "len <= 8", true)
}
