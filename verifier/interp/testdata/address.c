// Addresses: where objects lie, and null and numbers beside them; and formats that lack arguments.
typedef __SIZE_TYPE__ size_t; typedef __UINTPTR_TYPE__ uintptr_t;
void *malloc(size_t); void free(void *); int printf(const char *, ...);

//! null(0) => returned address.c:7:66 0
//! null(4) => returned address.c:7:66 0
int null(int off) { static char c[8]; char *p = c + off, *z = 0; return (p == z) + 2 * (z == p); }
//! number(4096) => returned address.c:11:40 1
//! number(4100) => returned address.c:11:40 0
//! number(4104) => returned address.c:11:40 0
int number(long n) { static char c[8]; return c == (char *)n; }
//! behind(4104) => returned address.c:14:40 0
//! behind(4100) => returned address.c:14:40 1
int behind(long n) { static char c[8]; return c + 4 == (char *)n; }
//! again(200) target:msp430 => returned address.c:17:154 0
//! again(20) target:msp430 => returned address.c:17:154 0
int again(int n) { int odd = 0; for (int i = 0; i < n; i++) { char *p = malloc(1000); if (!p) return -1; odd += (uintptr_t)p & 1; free(p); } return odd; }
//! large(40) target:i386 => returned address.c:20:160 0
//! large(4) target:i386 => returned address.c:20:160 0
int large(int n) { int odd = 0; for (int i = 0; i < n; i++) { char *p = malloc(0x10000000); if (!p) return -1; odd += (uintptr_t)p & 1; free(p); } return odd; }
//! half(1) off:leak target:i386 => returned address.c:28:3 0
//! half(0) target:i386 => unsupported address.c:28:17: no address left for 1610612736 bytes
int half(int gone) {
  char *a = malloc(0x60000000), *b = malloc(0x48000000), *c = malloc(0x48000000);
  int odd = ((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) & 1;
  if (gone) free(a);
  char *d = malloc(0x60000000);
  return odd | ((uintptr_t)d & 1);
}
//! kept(200) target:msp430 => unsupported address.c:31:103: no address left for 1000 bytes
int kept(int n) { char *p = 0; for (int i = 0; i < n; i++) { p = malloc(1000); if (!p) return -1; if ((uintptr_t)p & 1) return 1; } return 0; }
//! lacking(1) => violation builtin address.c:34:39: format %d lacks its argument
//! lacking(0) => returned address.c:34:25 0
int lacking(int more) { return more ? printf("%d %d", more) : printf("%d", more); }
