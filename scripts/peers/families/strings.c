// A string of fewer than N characters is copied and put into capitals: as long as before, and no small letter.
#include <assert.h>
#include <stddef.h>

char nondet_char(void);

static size_t length(const char *s) {
  size_t n = 0;
  while (s[n])
    n++;
  return n;
}

static void copy(char *to, const char *s) {
  while ((*to++ = *s++))
    ;
}

static void upper(char *s) {
  for (; *s; s++)
    if (*s >= 'a' && *s <= 'z')
      *s -= 'a' - 'A';
}

int main(void) {
  char s[N], t[N];
  for (int i = 0; i < N - 1; i++)
    s[i] = nondet_char();
  s[N - 1] = 0;
  size_t n = length(s);
  copy(t, s);
  upper(t);
  assert(length(t) == n);
  for (size_t i = 0; i < n; i++)
    assert(t[i] < 'a' || t[i] > 'z');
  return 0;
}
