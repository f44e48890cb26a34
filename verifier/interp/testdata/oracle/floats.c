/* Single and double precision: arithmetic, conversions, comparisons, special values. */
typedef unsigned u32; typedef unsigned long long u64;
double fabs(double); double sqrt(double); double floor(double); double ceil(double); double trunc(double); double fmin(double, double); float sqrtf(float);
static u32 state;
static u32 next(void) { state = state * 22695477u + 1; return state; }
static u64 dbits(double d) { union { double d; u64 u; } x = {d}; return d != d ? 1 : x.u; }
static u32 fbits(float f) { union { float f; u32 u; } x = {f}; return f != f ? 1 : x.u; }
u64 run(u32 seed)
{
	u64 sum = 0;
	state = seed;
	for (int i = 0; i < 60; i++) {
		union { u32 u; float f; } a = {next()}, b = {next()};
		union { u64 u; double d; } c = {(u64)next() << 32 | next()}, d = {(u64)next() << 32 | next()};
		if (i % 3 == 0) { a.f = (int)next() / 7.0f; b.f = (int)next() * 0.001f; c.d = (int)next() / 3.0; d.d = (int)next() * 1e-9; }
		volatile float f = a.f + b.f; sum = sum * 31 + fbits(f);
		f = a.f * b.f; sum = sum * 31 + fbits(f); f = a.f - b.f; sum = sum * 31 + fbits(f); f = a.f / b.f; sum = sum * 31 + fbits(f);
		volatile double e = c.d + d.d; sum = sum * 31 + dbits(e);
		e = c.d * d.d; sum = sum * 31 + dbits(e); e = c.d / d.d; sum = sum * 31 + dbits(e); e = c.d - d.d; sum = sum * 31 + dbits(e);
		f = c.d; sum = sum * 31 + fbits(f); e = a.f; sum = sum * 31 + dbits(e);
		f = (int)next(); sum += fbits(f); f = next(); sum += fbits(f); f = (long long)((u64)next() << 32 | next()); sum = sum * 3 + fbits(f);
		e = ((u64)next() << 32 | next()); sum = sum * 3 + dbits(e);
		sum = sum * 3 + (a.f < b.f) + (a.f <= b.f) * 2 + (a.f == b.f) * 4 + (a.f != b.f) * 8 + !(c.d > d.d) * 16;
		e = (int)(next() >> 8) / 17.0; sum += (int)e + (u64)(u32)e + (long long)-e;
		sum = sum * 5 + dbits(sqrt(fabs(e))) + dbits(floor(-e)) + dbits(ceil(e)) + dbits(trunc(-e)) + dbits(fmin(e, -e)) + dbits(-e) + fbits(sqrtf((float)e));
	}
	return sum;
}
