package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestPointersToNothing: what a pointer decides whose object is gone is proved on the condition that compilers leave it
// as it was; one that was set anew decides as any.
func TestPointersToNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		want verdict.Status
		text string
	}{
		{"fp", verdict.Conditional, `int main(void) { char *p = malloc(4); if (!p) return 0; free(p); if (p) { /*BUG*/ } return 0; }`},
		{"new", verdict.Conditional, `int main(void){ char *p=malloc(4); if(!p) return 0; free(p); char *q=malloc(4); int same = p==q;
assert(!same || q); if(same) {*q=1; assert(*q==1);} free(q); return 0; }`},
		{"realloc", verdict.Conditional, `int main(void){ char *p=malloc(4); if(!p) return 0; char *q=realloc(p,8); if(!q){free(p);return 0;}
int moved = q!=p; assert(moved==0||moved==1); if(moved) {q[1]=1; assert(q[1]==1);} free(q); return
0; }`},
		{"callee", verdict.Conditional, `static void del(char *p){ free(p);} static int is(char *p){ return p!=0; } int main(void){ char
*p=malloc(4); del(p); if(is(p)) assert(p); return 0; }`},
		{"member", verdict.Conditional, `struct h{int n; char *b;}; static void del(struct h *h){ free(h->b);} int main(void){ struct h
h={0,malloc(4)}; if(!h.b) return 0; del(&h); if(h.b) h.n=1; assert(h.n<=1); return 0; }`},
		{"list", verdict.Conditional, `struct n{struct n*next; int v;}; static struct n *head; int main(void){ struct n*x=malloc(sizeof*x);
if(!x) return 0; x->next=0; head=x; free(x); if(head==x) head=0; assert(head==0); return 0; }`},
		{"global", verdict.Conditional, `static char *buf; static void stop(void){ free(buf);} static void start(void){ if(!buf)
buf=malloc(4); if (buf) *buf=0; } int main(void){ start(); stop(); if(buf) assert(buf); return 0; }`},
		{"ret", verdict.Conditional, `static int *f(void){ int x=1; return &x; } int main(void){ int r = f()!=0; assert(r); return 0; }`},
		{"if", verdict.Proved, `int main(void){ char *p=malloc(4); if(p) free(p); p=NULL; if(p) return 1; assert(!p); return 0; }`},
		{"realloc", verdict.Proved, `int main(void){ char *p=malloc(4); if(!p) return 0; char *q=realloc(p,8); if(!q){ if(p)
free(p);return 0;} p=q; if(p) {p[1]=1; assert(p[1]==1);} free(p); return 0; }`},
		{"callee", verdict.Proved, `static void del(char **p){ free(*p); *p=0;} static int is(char *p){ return p!=0; } int main(void){
char *p=malloc(4); del(&p); assert(!is(p)); return 0; }`},
		{"member", verdict.Proved, `struct h{int n; char *b;}; static void del(struct h *h){ free(h->b); h->b=NULL;} int main(void){
struct h h={0,malloc(4)}; if(!h.b) return 0; del(&h); if(h.b) h.n=1; assert(h.n==0); return 0; }`},
		{"list", verdict.Proved, `struct n{struct n*next; int v;}; static struct n *head; int main(void){ struct n*x=malloc(sizeof*x);
if(!x) return 0; x->next=0; head=x; if(head==x) head=x->next; free(x); assert(head==0); return 0; }`},
		{"global", verdict.Proved, `static char *buf; static void stop(void){ free(buf); buf=0;} static void start(void){ if(!buf)
buf=malloc(4); if (buf) *buf=0; } int main(void){ start(); stop(); start(); stop(); if(buf) return
1; assert(!buf); return 0; }`},
		{"ret", verdict.Proved, `static int *f(void){ static int x=1; return &x; } int main(void){ int r = f()!=0; assert(r); return
0; }`},
		{"loop", verdict.Proved, `struct n{struct n*next; int v;}; int main(void){ struct n*h=0; for(int i=0;i<3;i++){ struct
n*x=malloc(sizeof*x); if(!x) break; x->next=h; x->v=i; h=x;} while(h){struct n*t=h->next; free(h);
h=t;} assert(!h); return 0; }`},
		{"loop2", verdict.Proved, `int main(void){ for(int i=0;i<3;i++){ char*x=malloc(4); if(!x) break; *x=1; free(x);} return 0; }`},
		{"remove", verdict.Proved, `struct n{struct n*next; int v;}; static struct n *head; static void add(int v){struct
n*x=malloc(sizeof*x); if(!x) return; x->v=v; x->next=head; head=x;} static int del(int v){ struct n
**p=&head; while(*p){ struct n *c=*p; if(c->v==v){ *p=c->next; free(c); return 1;} p=&c->next;}
return 0;} int main(void){ add(1); add(2); int d=del(1); while(head){ struct n*t=head;
head=head->next; free(t);} assert(d==0||d==1); return 0; }`},
		{"prev", verdict.Proved, `struct n{struct n*next; int v;}; static int del(struct n **head,int v){ struct n
*c=*head,*prev=NULL; while(c){ if(c->v==v){ if(prev) prev->next=c->next; else *head=c->next;
free(c); return 1;} prev=c; c=c->next;} return 0;} int main(void){ struct n*h=malloc(sizeof*h);
if(!h) return 0; h->v=1;h->next=0; int d=del(&h,1); assert(d==1&&h==0); return 0; }`},
		{"ring", verdict.Proved, `struct ring{char*buf; unsigned n;}; static struct ring *mk(unsigned n){ struct
ring*r=malloc(sizeof*r); if(!r) return NULL; r->buf=malloc(n); if(r->buf==NULL){ free(r); return
NULL;} r->n=n; return r;} static void rm(struct ring*r){ if(!r) return; free(r->buf); free(r);} int
main(void){ struct ring*r=mk(4); if(!r) return 0; r->buf[0]=1; assert(r->buf[0]==1); rm(r); r=mk(5);
if(r) rm(r); return 0;}`},
		{"early", verdict.Proved, `static int use(char **o){ char *p=malloc(4); if(!p) return -1; char *q=malloc(4); if(!q) goto fail;
*o=q; free(p); return 0; fail: free(p); return -1; } int main(void){ char *o; if(use(&o)==0){
assert(o); free(o);} return 0; }`},
	} {
		text := "#include <assert.h>\n#include <stdlib.h>\n" + c.text
		path := filepath.Join(writeTree(t, map[string]string{"a.c": text}), "a.c")
		_, rep, errs := checkJSON(t, path, "--target", "x86_64")
		if len(rep.Results) != 1 || rep.Results[0].Status != c.want {
			t.Errorf("%s is not %s: %v\n%s", c.name, c.want, rep.Results, errs)
			continue
		}
		r := &rep.Results[0]
		for i := range r.Claims {
			for _, a := range r.RestsOn(&r.Claims[i]) {
				if a.Origin != verdict.Chosen || !strings.Contains(a.Text, "(C17 6.2.4p2)") {
					t.Errorf("%s: %s rests on %q", c.name, r.Claims[i].ID, a.Text)
				}
			}
		}
	}
}

// TestKeptTemporaries: the array of a temporary value ends with its expression; who keeps its address relies on more.
func TestKeptTemporaries(t *testing.T) {
	const small, large = "struct t { char text[4]; };", "struct t { char text[64]; };"
	for _, c := range []struct {
		kind, keep string
		want       verdict.Status
	}{
		{small, "q = p;", verdict.Conditional}, {large, "q = p;", verdict.Conditional},
		{small, "kept = *p; q = &kept;", verdict.Proved}, {large, "kept = *p; q = &kept;", verdict.Proved},
	} {
		text := "#include <assert.h>\n" + c.kind + ` static char *q, kept;
static struct t mk(void) { struct t t = {"ab"}; return t; }
static void keep(char *p) { ` + c.keep + ` }
int main(void) { keep(mk().text); assert(q[0] == 'a'); return 0; }
`
		path := filepath.Join(writeTree(t, map[string]string{"a.c": text}), "a.c")
		for _, target := range []string{"x86_64", "cortex-m3"} {
			if _, rep, errs := checkJSON(t, path, "--target", target, "--entry", "main"); len(rep.Results) != 1 ||
				rep.Results[0].Status != c.want {
				t.Errorf("%s %s on %s: %+v, want %s\n%s", c.kind, c.keep, target, rep.Results, c.want, errs)
			}
		}
	}
}
