// Loops that end and loops whose state repeats (see lasso_test.go).
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t);
void free(void *);
//! odd(8) => returned loops.c:6:52
void odd(unsigned char n) { while (n != 0) n -= 2; }
void spin(void) { for (;;) ; }
void flip(void) { int a = 1, b = 2; while (a != b) { int t = a; a = b; b = t; } }
static volatile int ready;
void polling(void) { while (!ready) ; }
void heap(void) { for (int i = 0; i < 4; i = (i + 1) % 3) { int *p = malloc(4); if (p) *p = i; free(p); } }
void leaking(void) { for (;;) malloc(1); }
void counting(void) { for (unsigned long i = 1; i; i++) ; }
void nested(void) { for (;;) for (int i = 0; i < 5; i++) ; }
static int down(int n) { while (n > 3) n--; return n; }
void called(void) { int n = 9; while (down(n) == 3) n = 10; }
struct link { struct link *next; };
void ring(void) { struct link a, b = {&a}; a.next = &b; for (struct link *p = &a; p; p = p->next) ; }
void long_way(void) { for (int i = 0; i < 1000; i++) ; }
static unsigned long hidden;
static int *seen(void) { return (int *)(hidden ^ 1); }
static void hide(void) { int *p = malloc(sizeof *p); *p = 0; hidden = (unsigned long)p ^ 1; }
static int up_to(int n) { return ++*seen() == n; }
void by_number(void) { for (hide(); !up_to(100); ) ; }
void by_number_round(void) { for (hide(); !up_to(100); ) *seen() = 7; }
