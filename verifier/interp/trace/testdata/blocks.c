// How a trace names heap blocks: by the variable or member that holds them and no other, else by the call that allocated
// them; and shows them by the type that a pointer to them has, though it was given after the first write.
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t);
void *calloc(size_t, size_t);
void *memset(void *, int, size_t);
void *memcpy(void *, const void *, size_t);
float __VERIFIER_nondet_float(void);
void __VERIFIER_assert(int);

enum kind { NONE, USED = 4 };
struct node {
	enum kind kind;
	char name[8];
	union {
		uint32_t word;
		float ratio;
		uint8_t bytes[4];
	} val;
	struct node *next;
};
struct msg {
	uint16_t len;
	uint8_t kind;
	uint8_t data[];
};
static struct {
	struct node *head, *tail;
	void *raw;
} queue;

static void *zalloc(size_t n)
{
	void *p = malloc(n);
	memset(p, 0, n);
	return p;
}

static struct node *make(float ratio)
{
	struct node *n = zalloc(sizeof *n);
	n->kind = USED;
	memcpy(n->name, "abc", 3);
	n->val.ratio = ratio;
	return n;
}

static void append(struct node *n)
{
	if (queue.tail)
		queue.tail->next = n;
	else
		queue.head = n;
	queue.tail = n;
}

void harness(void)
{
	append(make(1.5f));
	append(make(__VERIFIER_nondet_float()));
	queue.head->next->val.word = 7;
	queue.head->val.bytes[2] = 9;
	queue.raw = malloc(4);
	memset(queue.raw, 0x5a, 4);
	struct node *pushed = 0;
	for (int i = 0; i < 2; i++) {
		struct node *n = calloc(1, sizeof *n);
		n->next = pushed;
		pushed = n;
	}
	char *bytes = malloc(sizeof(struct msg) + 5);
	struct msg *m = (struct msg *)bytes;
	m->len = 5;
	m->data[5] = 1;
	uint32_t *words = malloc(3 * sizeof *words), *second = &words[1];
	*second = 8;
	__VERIFIER_assert(words[1] == queue.head->next->val.word && pushed->next);
}
// Steps:
// 60:0 call: harness
//   62:9 call: make = ratio = 1.5f
//     44:19 call: zalloc = n = 20
//     37:12 alloc: 20 bytes = (malloc at blocks.c:37, 1st call)
//     37:8 assign: p = (malloc at blocks.c:37, 1st call) void * (object 1, frame 3)
//     38:2 assign: *queue.head = {0} struct node (object 2)
//   39:2 return: zalloc = (malloc at blocks.c:37, 1st call) [00 00 00 00] void *
//   44:15 assign: n = (malloc at blocks.c:37, 1st call) struct node * (object 3, frame 2)
//   45:10 assign: queue.head->kind = USED [04 00 00 00] enum kind (object 2)
//   46:2 assign: queue.head->name[0..2] = "abc" char[3] (object 2)
//   47:15 assign: queue.head->val.ratio = 1.5f [00 00 c0 3f] float (object 2)
// 48:2 return: make = (malloc at blocks.c:37, 1st call) [00 00 00 00] struct node *
//   62:2 call: append = n = (malloc at blocks.c:37, 1st call)
//   56:14 assign: queue.head = (malloc at blocks.c:37, 1st call) struct node * (object 4)
//   57:13 assign: queue.tail = queue.head struct node * (object 4)
// 63:14 input: __VERIFIER_nondet_float() = 3.1415927f [db 0f 49 40] float
//   63:9 call: make = ratio = 3.1415927f
//     44:19 call: zalloc = n = 20
//     37:12 alloc: 20 bytes = (malloc at blocks.c:37, 2nd call)
//     37:8 assign: p = (malloc at blocks.c:37, 2nd call) void * (object 5, frame 3)
//     38:2 assign: *queue.head->next = {0} struct node (object 6)
//   39:2 return: zalloc = (malloc at blocks.c:37, 2nd call) [00 00 00 00] void *
//   44:15 assign: n = (malloc at blocks.c:37, 2nd call) struct node * (object 7, frame 2)
//   45:10 assign: queue.head->next->kind = USED [04 00 00 00] enum kind (object 6)
//   46:2 assign: queue.head->next->name[0..2] = "abc" char[3] (object 6)
//   47:15 assign: queue.head->next->val.ratio = 3.1415927f [db 0f 49 40] float (object 6)
// 48:2 return: make = (malloc at blocks.c:37, 2nd call) [00 00 00 00] struct node *
//   63:2 call: append = n = (malloc at blocks.c:37, 2nd call)
//   54:20 assign: queue.head->next = (malloc at blocks.c:37, 2nd call) struct node * (object 2)
//   57:13 assign: queue.tail = queue.head->next struct node * (object 4)
// 64:29 assign: queue.head->next->val.word = 7 [07 00 00 00] uint32_t (object 6)
// 65:27 assign: queue.head->val.bytes[2] = 9 [09] uint8_t (object 2)
// 66:14 alloc: 4 bytes = (malloc at blocks.c:66)
// 66:12 assign: queue.raw = (malloc at blocks.c:66) void * (object 4)
// 67:2 assign: *queue.raw = {0x5a, 0x5a, 0x5a, 0x5a} 4 bytes (object 8)
// 68:15 assign: pushed = NULL [00 00 00 00] struct node * (object 9, frame 1)
// 69:11 assign: i = 0 [00 00 00 00] int (object 10, frame 1)
// 70:20 alloc: 20 bytes = (calloc at blocks.c:70, 1st call)
// 70:16 assign: n = (calloc at blocks.c:70, 1st call) struct node * (object 11, frame 1)
// 71:11 assign: (calloc at blocks.c:70, 1st call)->next = NULL [00 00 00 00] struct node * (object 12)
// 72:10 assign: pushed = (calloc at blocks.c:70, 1st call) struct node * (object 9, frame 1)
// 69:26 assign: i = 1 [01 00 00 00] int (object 10, frame 1)
// 70:20 alloc: 20 bytes = (calloc at blocks.c:70, 2nd call)
// 70:16 assign: n = (calloc at blocks.c:70, 2nd call) struct node * (object 11, frame 1)
// 71:11 assign: (calloc at blocks.c:70, 2nd call)->next = (calloc at blocks.c:70, 1st call) struct node * (object 13)
// 72:10 assign: pushed = (calloc at blocks.c:70, 2nd call) struct node * (object 9, frame 1)
// 69:26 assign: i = 2 [02 00 00 00] int (object 10, frame 1)
// 74:16 alloc: 9 bytes = (malloc at blocks.c:74)
// 74:8 assign: bytes = (malloc at blocks.c:74) char * (object 14, frame 1)
// 75:14 assign: m = (malloc at blocks.c:74) struct msg * (object 15, frame 1)
// 76:9 assign: m->len = 5 [05 00] uint16_t (object 16)
// 77:13 assign: m->data[5] = 1 [01] uint8_t (object 16)
// 78:20 alloc: 12 bytes = (malloc at blocks.c:78)
// 78:12 assign: words = (malloc at blocks.c:78) uint32_t * (object 17, frame 1)
// 78:48 assign: second = &words[1] uint32_t * (object 18, frame 1)
// 79:10 assign: words[1] = 8 [08 00 00 00] uint32_t (object 19)
// 80:2 violation: assertion failed = words[1] = 8 (written at blocks.c:79:10); words = (malloc at blocks.c:78) (written at blocks.c:78:12); queue.head->next->val.word = 7 (written at blocks.c:64:29); queue.head->next = (malloc at blocks.c:37, 2nd call) (written at blocks.c:54:20); queue.head = (malloc at blocks.c:37, 1st call) (written at blocks.c:56:14)
