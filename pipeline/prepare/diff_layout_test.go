package prepare

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// layoutCase is two versions with types of another layout.
type layoutCase struct {
	name, old, now string
	want           verdict.Sameness
	text           string // in what is said of it
}

// TestStructuresByValue compares versions that hand over, return or pass on a structure of another layout: as bytes they are
// the same where their members are not.
func TestStructuresByValue(t *testing.T) {
	const was, is = "struct s { int a, b; }; ", "struct s { int b, a; }; "
	for _, c := range []layoutCase{
		{"returned", was + "struct s f(int x, int y) { struct s r; r.a = x; r.b = y; return r; }",
			is + "struct s f(int x, int y) { struct s r; r.b = x; r.a = y; return r; }", verdict.SameOpen, "result"},
		{"handed over", was + "int f(struct s v) { return v.a; }",
			is + "int f(struct s v) { return v.b; }", verdict.SameOpen, "parameter v"},
		{"passed on", was + "void g(const struct s *); void f(int x, int y) { struct s r; r.a = x; r.b = y; g(&r); }",
			is + "void g(const struct s *); void f(int x, int y) { struct s r; r.b = x; r.a = y; g(&r); }", verdict.SameOpen,
			"r is passed on"},
		{"a number passed on", "void g(unsigned char *); void f(unsigned char x) { unsigned char r = x; g(&r); }",
			"void g(unsigned short *); void f(unsigned char x) { unsigned short r = x; g(&r); }", verdict.SameOpen, "r is passed on"},
		{"kept inside", was + "int f(int x, int y) { struct s r; r.a = x; r.b = y; return r.a - r.b; }",
			is + "int f(int x, int y) { struct s r; r.b = y; r.a = x; return r.a - r.b; }", verdict.Same, ""},
	} {
		c.run(t)
	}
}

func (c *layoutCase) run(t *testing.T) {
	t.Run(c.name, func(t *testing.T) {
		dir := t.TempDir()
		for name, text := range map[string]string{"old.c": c.old, "new.c": c.now} {
			text = "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n" + text + "\n"
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c.judge(t, compared(t, dir, 6*time.Second))
	})
}

func (c *layoutCase) judge(t *testing.T, got *verdict.Comparison) {
	said := strings.Join(slices.Concat(got.Layouts, got.Limits, verdict.TextsOf(got.Assumptions)), "\n")
	if got.Reason != nil {
		said += got.Reason.Detail
	}
	if got.Status != c.want || !strings.Contains(said, c.text) {
		t.Errorf("%s, want %s and %q: %s %v", got.Status, c.want, c.text, said, got.Differences)
	}
}

// TestLayouts compares versions of functions that get memory of another layout, or have such variables.
func TestLayouts(t *testing.T) {
	list := []layoutCase{
		{"add end", "struct d{int a,b;}; int f(struct d*p){ p->a+=1; return p->b; }",
			"struct d{int a,b,c;}; int f(struct d*p){ p->a+=1; return p->b; }",
			verdict.Same, "`c` of `struct d` is new"},
		{"add mid used", "struct d{int a,b;}; int f(struct d*p){ p->a+=1u; return p->b; }",
			"struct d{int a,c,b;}; int f(struct d*p){ p->a+=1u; p->c=3; return p->b; }",
			verdict.Same, ""},
		{"new read", "struct d{int a,b;}; int f(struct d*p){ return p->b; }",
			"struct d{int a,c,b;}; int f(struct d*p){ if(p->c) return 0; return p->b; }",
			verdict.Differs, ""},
		{"moved", "struct d{int a,b;}; int f(struct d*p,int x){ p->a=x; p->b=x+1u; return p->a; }",
			"struct d{int b,a;}; int f(struct d*p,int x){ p->a=x; p->b=x+1u; return p->a; }",
			verdict.Same, ""},
		{"moved wrong", "struct d{int a,b;}; void f(struct d*p,int x){ p->a=x; }",
			"struct d{int b,a;}; void f(struct d*p,int x){ p->b=x; }",
			verdict.Differs, ""},
		{"walk", "struct d{int a,b;}; int f(struct d*p){ int*q=&p->a; return q[0]+0*q[1]; }",
			"struct d{int b,a;}; int f(struct d*p){ int*q=&p->b; return q[0]; }",
			verdict.Differs, ""},
		{"walk2", "struct d{char a,b;}; int f(struct d*p){ char*q=(char*)p; return q[0]; }",
			"struct d{char b,a;}; int f(struct d*p){ char*q=(char*)p; return q[0]; }",
			verdict.Differs, ""},
		{"offsetof", "struct d{int a,b;}; int f(struct d*p){ return offsetof(struct d,b)+p->a-p->a; }",
			"struct d{int a,c,b;}; int f(struct d*p){ return offsetof(struct d,b)+p->a-p->a; }",
			verdict.Differs, ""},
		{"sizeof r", "struct d{int a,b;}; int f(struct d*p){ p->a=1; return sizeof *p; }",
			"struct d{int a,b,c;}; int f(struct d*p){ p->a=1; return sizeof *p; }",
			verdict.Differs, ""},
		{"memset", "struct d{int a,b;}; void f(struct d*p){ memset(p,0,sizeof *p); }",
			"struct d{int b;short c; int a;}; void f(struct d*p){ memset(p,0,sizeof *p); }",
			verdict.Same, ""},
		{"memset short", "struct d{int a,b;}; void f(struct d*p){ memset(p,0,8); }",
			"struct d{int c; int a,b;}; void f(struct d*p){ memset(p,0,8); }",
			verdict.Differs, ""},
		{"memcpy2", "struct d{int a,b;}; void f(struct d*p,const struct d*q){ memcpy(p,q,sizeof *p); }",
			"struct d{int b,c,a;}; void f(struct d*p,const struct d*q){ *p=*q; }",
			verdict.SameBounded, ""},
		{"memcmp", "struct d{int a,b;}; int f(struct d*p,const struct d*q){ return memcmp(p,q,sizeof *p)==0; }",
			"struct d{int b,a;}; int f(struct d*p,const struct d*q){ return memcmp(p,q,sizeof *p)==0; }",
			verdict.Same, ""},
		{"memcmp pad", "struct d{int a,b;}; int f(struct d*p,const struct d*q){ return memcmp(p,q,sizeof *p)==0; }",
			"struct d{char c; int b,a;}; int f(struct d*p,const struct d*q){ return memcmp(p,q,sizeof *p)==0; }",
			verdict.Differs, ""},
		{"widen", "struct d{uint8_t n; int v;}; void f(struct d*p){ p->n++; }",
			"struct d{uint16_t n; int v;}; void f(struct d*p){ p->n++; }",
			verdict.Differs, ""},
		{"widen ok", "struct d{uint8_t n; int v;}; void f(struct d*p){ if(p->n<200) p->n++; }",
			"struct d{uint16_t n; int v;}; void f(struct d*p){ if(p->n<200) p->n++; }",
			verdict.Same, "`n` of `struct d` is `uint16_t`, and was `uint8_t`"},
		{"sign", "struct d{int8_t n;}; int f(struct d*p){ return p->n; }",
			"struct d{uint8_t n;}; int f(struct d*p){ return p->n; }",
			verdict.Same, ""},
		{"sign w", "struct d{int8_t n;}; void f(struct d*p){ p->n=-1; }",
			"struct d{uint8_t n;}; void f(struct d*p){ p->n=-1; }",
			verdict.Differs, ""},
		{"bits", "struct d{unsigned a:3,b:5;}; void f(struct d*p){ p->b=(p->b+1)&31; }",
			"struct d{unsigned b:8,a:3;}; void f(struct d*p){ p->b=(p->b+1)&31; }",
			verdict.Same, "`b` of `struct d` has 8 bits, and had 5"},
		{"bits w", "struct d{unsigned a:3,b:5;}; void f(struct d*p){ p->b=p->b+1; }",
			"struct d{unsigned b:8,a:3;}; void f(struct d*p){ p->b=p->b+1; }",
			verdict.Differs, ""},
		{"packed", "struct __attribute__((packed)) d{char a;int b;}; int f(struct d*p){ p->a=2; return p->b; }",
			"struct d{char a;int b;}; int f(struct d*p){ p->a=2; return p->b; }",
			verdict.Same, ""},
		{"arr longer", "struct d{uint8_t buf[8]; unsigned n;}; void f(struct d*p,uint8_t c){ if(p->n<8) p->buf[p->n++]=c; }",
			"struct d{uint8_t buf[16]; unsigned n;}; void f(struct d*p,uint8_t c){ if(p->n<8) p->buf[p->n++]=c; }",
			verdict.Same, "`buf` of `struct d` has 16 elements, and had 8"},
		{"arr longer d", "struct d{uint8_t buf[8]; unsigned n;}; void f(struct d*p,uint8_t c){ if(p->n<sizeof p->buf) p->buf[p->n++]=c; }",
			"struct d{uint8_t buf[16]; unsigned n;}; void f(struct d*p,uint8_t c){ if(p->n<sizeof p->buf) p->buf[p->n++]=c; }",
			verdict.Differs, ""},
		{"static", "static struct {int a,b;} s; void set(int x){s.a=x;s.b=x;} int f(void){ s.a=s.b; return s.a; }",
			"static struct {int a,c,b;} s; void set(int x){s.a=x;s.b=x;} int f(void){ s.a=s.b; return s.a; }",
			verdict.Same, ""},
		{"static d", "static struct {int a,b;} s; void set(int x){s.a=x;s.b=x;} int f(void){ s.a=s.b; return s.a; }",
			"static struct {int a,c,b;} s; void set(int x){s.a=x;s.b=x;} int f(void){ s.a=s.b; return s.b+1u==0; }",
			verdict.Differs, ""},
		{"static init", "struct d{int a,b;}; struct d s={1,2}; int f(void){ return s.a; }",
			"struct d{int c,a,b;}; struct d s={0,1,2}; int f(void){ return s.a; }",
			verdict.Same, ""},
		{"self", "struct d{int v; struct d*next;}; int f(struct d*p){ if(!p->next) return 0; return p->next->v; }",
			"struct d{int v; int c; struct d*next;}; int f(struct d*p){ struct d*q=p->next; if(!q) return 0; return q->v; }",
			verdict.SameBounded, ""},
		{"self link", "struct d{int v; struct d*next;}; void f(struct d*p,struct d*q){ q->next=p->next; p->next=q; }",
			"struct d{struct d*next; int v; }; void f(struct d*p,struct d*q){ struct d*t=p->next; p->next=q; q->next=t; }",
			verdict.SameBounded, ""},
		{"self link w", "struct d{int v; struct d*next;}; void f(struct d*p,struct d*q){ q->next=p->next; p->next=q; }",
			"struct d{struct d*next; int v; }; void f(struct d*p,struct d*q){ p->next=q; q->next=p->next; }",
			verdict.Differs, ""},
		{"retp", "struct d{int a,b;}; int*f(struct d*p){ return &p->b; }",
			"struct d{int b,c,a;}; int*f(struct d*p){ return &p->b; }",
			verdict.Same, ""},
		{"retp w", "struct d{int a,b;}; int*f(struct d*p){ return &p->b; }",
			"struct d{int b,c,a;}; int*f(struct d*p){ return &p->a; }",
			verdict.SameOpen, ""},
		{"nested", "struct i{int x,y;}; struct d{struct i i[2]; int v;}; int f(struct d*p,int k){ p->i[k&1].x=p->v; return p->i[0].y; }",
			"struct i{int y,z,x;}; struct d{int v; struct i i[2];}; int f(struct d*p,int k){ p->i[k&1].x=p->v; return p->i[0].y; }",
			verdict.Same, ""},
		{"ptrarith", "struct d{int a,b;}; int f(struct d*p,int n){ int s=0; for(int i=0;i<n;i++) s^=p[i].a; return s; }",
			"struct d{int a,b,c;}; int f(struct d*p,int n){ int s=0; for(int i=0;i<n;i++) s^=p[i].a; return s; }",
			verdict.SameBounded, "accesses further on"},
		{"global arr", "struct d{int a,b;}; struct d t[4]; void f(unsigned i,int x){ t[i&3].b=x; }",
			"struct d{int b,a,c;}; struct d t[4]; void f(unsigned i,int x){ (t+(i&3))->b=x; }",
			verdict.Same, ""},
		{"flex", "struct d{int n; uint8_t x[];}; int f(struct d*p){ return p->n; }",
			"struct d{int k,n; uint8_t x[];}; int f(struct d*p){ return p->n; }",
			verdict.SameOpen, "not known in full"},
		{"removed ptr", "struct d{int v; int*p;}; int f(struct d*p){ return p->p?p->v:0; }",
			"struct d{int v;}; int f(struct d*p){ return p->v; }",
			verdict.Differs, "`p` of `struct d` is gone"},
		{"enum", "enum e{A,B}; struct d{enum e e; int v;}; int f(struct d*p){ return p->e==A?p->v:0; }",
			"enum e{A,B,C}; struct d{enum e e; int v; int w;}; int f(struct d*p){ return p->e==A?p->v:0; }",
			verdict.Same, ""},
		{"union", "union u{int i; char c;}; struct d{union u u; int v;}; int f(struct d*p){ p->u.i=p->v; return p->u.c; }",
			"union u{int i; char c;}; struct d{int v; int w; union u u;}; int f(struct d*p){ p->u.i=p->v; return p->u.c; }",
			verdict.Same, ""},
		{"union ch", "union u{int i; char c;}; struct d{union u u; int v;}; int f(struct d*p){ p->u.i=p->v; return p->u.c; }",
			"union u{int i; char c; long l;}; struct d{int v; int w; union u u;}; int f(struct d*p){ p->u.i=p->v; return p->u.c; }",
			verdict.SameOpen, "has other members"},
		{"addr", "struct d{int a,b;}; long f(struct d*p){ return (long)p+p->a; }",
			"struct d{int a,b,c;}; long f(struct d*p){ return (long)p+p->a; }",
			verdict.SameOpen, "an address is a number"},
		{"dif", "struct d{int a,b;}; long f(struct d*p,struct d*q){ p->a=1; return &p[1]-p; }",
			"struct d{int a,b,c;}; long f(struct d*p,struct d*q){ p->a=1; return &p[1]-p; }",
			verdict.SameBounded, ""},
		{"ext", "void g(int); struct d{int a,b;}; void f(struct d*p){ g(p->a); }",
			"void g(int); struct d{int b,a;}; void f(struct d*p){ g(p->a); }",
			verdict.SameBounded, ""},
		{"ext w", "void g(int); struct d{int a,b;}; void f(struct d*p){ g(p->a); }",
			"void g(int); struct d{int b,a;}; void f(struct d*p){ g(p->b); }",
			verdict.Differs, ""},
		{"alias", "struct d{uint8_t a,b;}; int f(struct d*p,uint8_t*q){ p->a=1; *q=2; return p->a; }",
			"struct d{uint8_t c,a,b;}; int f(struct d*p,uint8_t*q){ p->a=1; *q=2; return 1; }",
			verdict.SameBounded, "do not overlap"},
		{"beyond", "struct d{int a;}; int f(struct d*p,int k){ return k?p[1].a:0; }",
			"struct d{int a,b;}; int f(struct d*p,int k){ return 0; }",
			verdict.SameBounded, "accesses further on"},
		{"before", "struct d{int a;}; int f(struct d*p,int k){ return k?p[-1].a:0; }",
			"struct d{int a,b;}; int f(struct d*p,int k){ return 0; }",
			verdict.SameBounded, "accesses further on"},
		{"outp", "struct d{int a,b;}; void f(struct d*p,struct d**o){ *o=p; }",
			"struct d{int a,c,b;}; void f(struct d*p,struct d**o){ *o=p; }",
			verdict.SameBounded, ""},
		{"outv", "struct d{int a,b;}; void f(struct d*p,void**o){ *o=p; }",
			"struct d{int a,c,b;}; void f(struct d*p,void**o){ *o=p; }",
			verdict.SameBounded, ""},
		{"cur", "struct d{int a,b;}; static struct d t[2]; static struct d*cur; void f(int k){ cur=&t[k&1]; cur->a=k; }",
			"struct d{int a,c,b;}; static struct d t[2]; static struct d*cur; void f(int k){ cur=t+(k&1); cur->a=k; }",
			verdict.SameBounded, ""},
		{"scalarp", "void f(uint8_t*p){ *p=7; }",
			"void f(uint16_t*p){ *p=7; }",
			verdict.Same, "`*p` is `uint16_t`"},
		{"scalarp w", "void f(uint8_t*p){ *p=*p+1; }",
			"void f(uint16_t*p){ *p=*p+1; }",
			verdict.Differs, ""},
		{"bool", "struct d{int on; int v;}; int f(struct d*p){ return p->on?p->v:0; }",
			"struct d{_Bool on; int v;}; int f(struct d*p){ return p->on?p->v:0; }",
			verdict.Same, ""},
		{"bool w", "struct d{int on; int v;}; void f(struct d*p,int x){ p->on=x; }",
			"struct d{_Bool on; int v;}; void f(struct d*p,int x){ p->on=x; }",
			verdict.Differs, ""},
		{"only old", "static struct{int a,b;} s; void set(int x){s.a=x;} int f(void){return s.a;}",
			"static struct{int a,c,b;} s; void set(int x){s.a=x;} int f(void){return 0;}",
			verdict.Differs, ""},
		{"gwide", "static uint8_t n; int f(void){ return n++; }",
			"static uint16_t n; int f(void){ return n++; }",
			verdict.Differs, ""},
		{"gwide ok", "static uint8_t n; int f(void){ if(n<9) n++; return n; }",
			"static uint16_t n; int f(void){ if(n<9) n++; return n; }",
			verdict.Same, ""},
		{"eq", "struct d{int a;}; int f(const struct d*p,const struct d*q){ return p==q?p->a:q->a; }",
			"struct d{int a,b;}; int f(const struct d*p,const struct d*q){ return q->a; }",
			verdict.SameBounded, ""},
		{"local copy", "struct d{int a,b;}; int f(struct d*p){ struct d t=*p; p->a=t.b; p->b=t.a; return t.a; }",
			"struct d{int b,x,a;}; int f(struct d*p){ struct d t=*p; p->a=t.b; p->b=t.a; return t.a; }",
			verdict.Same, ""},
		{"helper w", "struct d{int a,b;}; static int h(struct d*p){return p->a;} int f(struct d*p){ return h(p); }",
			"struct d{int b,a;}; static int h(struct d*p){return p->b;} int f(struct d*p){ return h(p)+0; }",
			verdict.Differs, ""},
		{"helper keep", "struct d{int a,b;}; __attribute__((noinline)) static int h(int*p){return *p;} int f(struct d*p){ return h(&p->a); }",
			"struct d{int b,a;}; __attribute__((noinline)) static int h(int*p){return *p;} int f(struct d*p){ return h(&p->a)+0; }",
			verdict.Same, ""},
		{"local pass w", "struct d{int a,b;}; static int h(const struct d*p){int s=0;for(int i=0;i<p->a&&i<3;i++)s+=p->b;return s;} int f(int x,int y){ struct d t; t.a=x;t.b=y; return h(&t); }",
			"struct d{int b,a;}; static int h(const struct d*p){int s=0;for(int i=0;i<3&&i<p->a;i++)s+=p->b;return s;} int f(int x,int y){ struct d t; t.b=x;t.a=y; return h(&t); }",
			verdict.Differs, ""},
		{"vol", "struct d{volatile int a;int b;}; int f(struct d*p){ return p->a; }",
			"struct d{int b; volatile int a;}; int f(struct d*p){ return p->a; }",
			verdict.SameOpen, ""},
		{"two ptr w", "struct d{int v;}; struct h{struct d*x,*y;}; int f(struct h*p){ p->x->v=1; return p->y->v; }",
			"struct d{int v,w;}; struct h{struct d*y,*x;}; int f(struct h*p){ p->y->v=1; return p->x->v; }",
			verdict.Differs, ""},
		{"ring", "struct r{uint8_t buf[8];uint8_t h,t;}; int f(struct r*r,uint8_t c){ uint8_t n=(r->h+1)&7; if(n==r->t) return -1; r->buf[r->h&7]=c; r->h=n; return 0; }",
			"struct r{uint16_t h,t;uint8_t buf[8];}; int f(struct r*r,uint8_t c){ uint16_t n=(r->h+1)&7; if(n==r->t) return -1; r->buf[r->h&7]=c; r->h=n; return 0; }",
			verdict.Same, ""},
		{"anon", "struct d{struct{int a;}; int b;}; int f(struct d*p){ return p->a-p->a+p->b; }",
			"struct d{int c; struct{int b; int a;};}; int f(struct d*p){ return p->b; }",
			verdict.Same, ""},
		{"gptr", "struct d{int a;}; static struct d x; struct d*f(void){ x.a=1; return &x; }",
			"struct d{int z,a;}; static struct d x; struct d*f(void){ x.a=1; return &x; }",
			verdict.Same, ""},
		{"gptr w", "struct d{int a;}; static struct d x,y; struct d*f(int k){ return k?&x:&y; }",
			"struct d{int z,a;}; static struct d x,y; struct d*f(int k){ return k?&y:&x; }",
			verdict.Differs, ""},
		{"shift w", "struct d{int a,b,c;}; int f(struct d*p,unsigned i){ return (&p->a)[i%3]; }",
			"struct d{int a,x,b,c;}; int f(struct d*p,unsigned i){ return (&p->a)[i%3]; }",
			verdict.Differs, ""},
		{"arr wide w", "struct d{uint8_t t[4];}; void f(struct d*p,unsigned i){ if(i<4)p->t[i]+=200; }",
			"struct d{uint16_t t[4];}; void f(struct d*p,unsigned i){ if(i<4)p->t[i]+=200; }",
			verdict.Differs, ""},
		{"mat", "struct i{int8_t x,y;}; struct d{struct i m[2][2];}; int f(struct d*p,unsigned i,unsigned j){ return p->m[i&1][j&1].y; }",
			"struct i{int16_t y,x;}; struct d{int k; struct i m[2][2];}; int f(struct d*p,unsigned i,unsigned j){ return p->m[i&1][j&1].y; }",
			verdict.Same, ""},
		{"mat w", "struct i{int8_t x,y;}; struct d{struct i m[2][2];}; int f(struct d*p,unsigned i,unsigned j){ return p->m[i&1][j&1].y; }",
			"struct i{int16_t y,x;}; struct d{int k; struct i m[2][2];}; int f(struct d*p,unsigned i,unsigned j){ return p->m[j&1][i&1].y; }",
			verdict.Differs, ""},
		{"callback kept", "struct d{int a; void (*done)(int);}; int f(struct d*p){ return p->a; }",
			"struct d{void (*done)(int); int a;}; int f(struct d*p){ int r = p->a; return r; }",
			verdict.SameBounded, "done"},
		{"callback moved", "struct d{int a; void (*done)(int);}; void f(struct d*p,const struct d*q){ p->done = q->done; }",
			"struct d{void (*done)(int); int a;}; void f(struct d*p,const struct d*q){ p->done = 0; }", verdict.SameOpen, "p[].done"},
		{"callback called", "struct d{int a; void (*done)(int);}; void f(struct d*p){ p->done(p->a); }",
			"struct d{void (*done)(int); int a;}; void f(struct d*p){ p->done(p->a); }", verdict.SameOpen, "calls through pointers"},
	}
	for i := range list {
		if i%testprogram.Sample(1, 4) == 0 {
			list[i].run(t)
		}
	}
}
