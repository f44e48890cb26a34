/* What the headers of the C library reach into: character tables and errno. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
unsigned long long run(unsigned seed)
{
	unsigned long long s = seed;
	errno = 0;
	for (int c = -1; c < 256; c++) {
		int is = !!isalpha(c) | !!isdigit(c) << 1 | !!isspace(c) << 2 | !!isupper(c) << 3 | !!ispunct(c) << 4 | !!isxdigit(c) << 5 | !!isprint(c) << 6 | !!iscntrl(c) << 7 |
			 !!isblank(c) << 8 | !!islower(c) << 9 | !!isalnum(c) << 10 | !!isgraph(c) << 11;
		s = s * 31 + is + toupper(c) * 3 + tolower(c);
		if (is & 4)
			errno += c;
	}
	return s * 7 + errno;
}
