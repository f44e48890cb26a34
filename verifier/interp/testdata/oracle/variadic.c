/* Variable arguments: integers, long long, double, pointers, va_copy, more of them than registers. */
#include <stdarg.h>
typedef unsigned long long u64;
static u64 sum(const char *format, ...)
{
	va_list ap, again;
	u64 s = 0;
	va_start(ap, format);
	va_copy(again, ap);
	for (const char *f = format; *f; f++)
		switch (*f) {
		case 'i': s = s * 31 + va_arg(ap, int); break;
		case 'l': s = s * 31 + va_arg(ap, long long); break;
		case 'd': s = s * 31 + (long long)(va_arg(ap, double) * 4); break;
		case 'p': s = s * 31 + *va_arg(ap, int *); break;
		}
	va_end(ap);
	s = s * 7 + (*format == 'i' ? va_arg(again, int) : 1);
	va_end(again);
	return s;
}
static u64 pass(int a, long long b, int c, va_list ap) { return a + b + c + va_arg(ap, unsigned) + va_arg(ap, long long); }
static u64 named(int a, long long b, int c, ...)
{
	va_list ap;
	va_start(ap, c);
	u64 s = pass(a, b, c, ap);
	va_end(ap);
	return s;
}
u64 run(unsigned seed)
{
	int x = seed * 3;
	u64 s = sum("iidlp", seed, -1, 2.75 * seed, 1ll << 40, &x);
	s = s * 3 + sum("lididilldiididddddddddpi", 1ll, 2, 3.5, 4, 5.25, 6, 7ll, 8ll, 9.0, 10, 11, 12.0, 13, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, &x, seed);
	return s + named(1, seed, 2, 3u, 4ll) + sum("");
}
