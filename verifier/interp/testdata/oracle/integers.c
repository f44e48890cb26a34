/* Integer arithmetic of all widths: checksums, shifts, bit-fields, unions, 64-bit division. */
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long long u64;
struct flags { u32 a : 3; int b : 5; u32 c : 17; u8 d; signed char e : 4; u64 f : 33; };
union word { u32 w; u8 b[4]; u16 h[2]; };
static u32 crc(const u8 *p, u32 n)
{
	u32 c = ~0u;
	while (n--) {
		c ^= *p++;
		for (int k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
	}
	return ~c;
}
static u32 state;
static u32 next(void) { state = state * 1664525u + 1013904223u; return state >> 3; }
u64 run(u32 seed)
{
	u8 buf[37];
	struct flags f = {0};
	union word w;
	u64 sum = 0;
	state = seed;
	for (u32 i = 0; i < sizeof buf; i++)
		buf[i] = next();
	sum = crc(buf, sizeof buf);
	for (int i = 0; i < 20; i++) {
		f.a += next(); f.b = (int)(next() & 31) - 16; f.c ^= next(); f.d -= next(); f.e = (int)(next() & 15) - 8; f.f = f.f * 3 + next();
		w.w = next();
		w.h[1] ^= w.b[0] << 3;
		long long a = (long long)next() * (int)next(), b = (int)next() | 1;
		sum = sum * 31 + f.a + f.b * 7 + f.c + f.d + f.e + f.f + w.w + (u64)(a / b) + (u64)(a % b) + (u64)a / (u64)b + (a >> (i & 31)) + ((u64)a << (next() & 63));
		sum ^= (u16)(short)next() + (signed char)next() + (char)(int)next();
		sum += (a < b) + ((u64)a < (u64)b) * 2 + ((int)a <= (int)b) * 4;
	}
	return sum;
}
