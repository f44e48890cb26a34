// The trace of a run in C terms: members, bit-fields, enumerators, pointers, heap, registers.
typedef unsigned char uint8_t;
typedef unsigned int uint32_t;
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t);
void free(void *);
void *memset(void *, int, size_t);
int __VERIFIER_nondet_int(void);
void __VERIFIER_assert(int);

enum mode { OFF, SLOW = 3, FAST };
struct ring {
	uint8_t buf[4];
	uint32_t head;
	unsigned full : 1, prio : 3;
	enum mode mode;
	struct ring *self;
};
static struct ring ring;
#define STATUS (*(volatile uint32_t *)0x40001004)

static int push(struct ring *r, uint8_t v)
{
	if (r->head >= 4)
		r->full = 1;
	r->buf[r->head++] = v;
	return r->head;
}

void harness(int n, enum mode m)
{
	uint8_t *copy = malloc(2);
	double ratio = n / 2.0;
	char letter = 'a' + n;
	memset(copy, 7, 2);
	ring.mode = m;
	ring.prio = n;
	ring.self = &ring;
	ring.head = 2;
	uint32_t status = STATUS;
	int (*op)(struct ring *, uint8_t) = push;
	op(&ring, status);
	copy[1] = ring.buf[2];
	struct ring *dynamic = malloc(sizeof *dynamic);
	dynamic->buf[3] = 9;
	dynamic->prio = 2;
	dynamic->self = dynamic;
	free(copy);
	int count = __VERIFIER_nondet_int();
	int left = 4 - count;
	__VERIFIER_assert(left > 0);
}
// Steps:
// 30:0 input: n = 5 [05 00 00 00] int
// 30:0 input: m = SLOW [03 00 00 00] enum mode
// 30:0 call: harness = n = 5, m = SLOW
// 32:18 alloc: 2 bytes = (malloc at ring.c:32)
// 32:11 assign: copy = (malloc at ring.c:32) uint8_t * (object 1, frame 1)
// 33:9 assign: ratio = 2.5 [00 00 00 00 00 00 04 40] double (object 2, frame 1)
// 34:7 assign: letter = 'f' [66] char (object 3, frame 1)
// 35:2 assign: copy[0..1] = {7, 7} uint8_t[2] (object 4)
// 36:12 assign: ring.mode = SLOW [03 00 00 00] enum mode (object 5)
// 37:12 assign: ring.prio = 5 unsigned int (object 5)
// 38:12 assign: ring.self = &ring struct ring * (object 5)
// 39:12 assign: ring.head = 2 [02 00 00 00] uint32_t (object 5)
// 40:20 volatile-read: uart at 0x40001004 = 200 [c8 00 00 00] uint32_t (object 6)
// 40:11 assign: status = 200 [c8 00 00 00] uint32_t (object 7, frame 1)
// 41:8 assign: op = push int (*)(struct ring *, uint8_t) (object 8, frame 1)
//   42:2 call: push = r = &ring, v = 200
//   26:16 assign: ring.head = 3 [03 00 00 00] uint32_t (object 5)
//   26:20 assign: ring.buf[2] = 200 [c8] uint8_t (object 5)
// 27:2 return: push = 3 [03 00 00 00] int
// 43:10 assign: copy[1] = 200 [c8] uint8_t (object 4)
// 44:25 alloc: 20 bytes = (malloc at ring.c:44)
// 44:15 assign: dynamic = (malloc at ring.c:44) struct ring * (object 9, frame 1)
// 45:18 assign: dynamic->buf[3] = 9 [09] uint8_t (object 10)
// 46:16 assign: dynamic->full = 1 unsigned int (object 10)
// 46:16 assign: dynamic->prio = 2 unsigned int (object 10)
// 47:16 assign: dynamic->self = dynamic struct ring * (object 10)
// 48:2 free: copy
// 49:14 input: __VERIFIER_nondet_int() = 7 [07 00 00 00] int
// 49:6 assign: count = 7 [07 00 00 00] int (object 11, frame 1)
// 50:6 assign: left = -3 [fd ff ff ff] int (object 12, frame 1)
// 51:2 violation: assertion failed = left = -3 (written at ring.c:50:6)
