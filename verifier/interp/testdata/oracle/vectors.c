/* Loops that the optimiser turns into vectors and reductions. */
typedef unsigned u32; typedef unsigned long long u64; typedef unsigned char u8;
u64 run(u32 seed)
{
	static u32 a[64]; static u8 b[64]; static int c[64]; static float f[32];
	u32 sum = 0, mix = 0, lo = ~0u, all = ~0u; int hi = -1000; u64 wide = 0;
	for (int i = 0; i < 64; i++) { a[i] = seed * 2654435761u * (i + 1); b[i] = a[i] >> 11; c[i] = (int)(a[i] >> 7) - (1 << 23); }
	for (int i = 0; i < 64; i++) sum += a[i] * 3 + b[i];
	for (int i = 0; i < 64; i++) mix ^= a[i] >> (i & 7);
	for (int i = 0; i < 64; i++) lo = a[i] < lo ? a[i] : lo;
	for (int i = 0; i < 64; i++) hi = c[i] > hi ? c[i] : hi;
	for (int i = 0; i < 64; i++) all &= a[i] | 0xff00ff;
	for (int i = 0; i < 64; i++) wide += (u64)b[i] * a[63 - i];
	for (int i = 0; i < 32; i++) f[i] = c[i] * 0.5f + b[i];
	for (int i = 0; i < 32; i++) wide += f[i] > 100.0f;
	return wide * 31 + sum * 7ull + mix + lo + (u64)(u32)hi + all;
}
