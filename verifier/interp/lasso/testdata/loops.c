// Loops that end and loops whose state repeats (see ../lasso_test.go).
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t);
void free(void *);
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
static int again(int n) { return n < 3 ? n : again(again(n - 1) + 2) - 1; }
void same_call(void) { again(5); }
static int half(int n) { return n < 1 ? 0 : half(n / 2) + half(n / 2); }
void same_calls(void) { half(100); }
static int odd_call(int n); static int even_call(int n) { return n == 0 ? 1 : odd_call(n - 1); }
static int odd_call(int n) { return n == 0 ? 0 : n == 1 ? even_call(2) : even_call(n - 1); }
void two_calls(void) { even_call(8); }
static int length(struct link *p) { return p ? 1 + length(p->next) : 0; }
void ring_calls(void) { struct link a, b = {&a}; a.next = &b; length(&a); }
void list_calls(void) { struct link a = {0}, b = {&a}; length(&b); }
static int level; static void down_by_global(void) { if (level++ < 50) down_by_global(); }
void global_calls(void) { down_by_global(); }
static void down_by_number(void) { if (!up_to(100)) down_by_number(); }
void hidden_calls(void) { hide(); down_by_number(); }
static void down_by_local(int *n) { int m = *n + 1; if (m < 50) down_by_local(&m); }
void local_calls(void) { int n = 0; down_by_local(&n); }
static void same_local(int *n) { int m = *n; if (m < 50) same_local(&m); }
void local_round(void) { int n = 0; same_local(&n); }
static void down_by_address(void) { char c; if ((unsigned long)&c < 0x2000) down_by_address(); }
void address_calls(void) { down_by_address(); }
static void building(struct link *p) { struct link *q = malloc(sizeof *q); q->next = p; building(q); }
void building_calls(void) { building(0); }
static void wait_call(void) { if (!ready) wait_call(); }
void waiting_calls(void) { wait_call(); }
