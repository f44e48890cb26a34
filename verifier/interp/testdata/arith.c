// Arithmetic checks; each violation has a twin input that is fine.
typedef unsigned char u8;
//! add(2147483647, 1) => violation signed-overflow arith.c:6:34: signed addition overflows: 2147483647 and 1 in 32 bits
//! add(2147483646, 1) => returned arith.c:6:25 2147483647
//! add(2147483647, 1) off:signed-overflow => returned arith.c:6:25 -2147483648
int add(int a, int b) { return a + b; }
//! sub(-2147483648, 1) => violation signed-overflow arith.c:9:34: signed subtraction overflows: -2147483648 and 1 in 32 bits
//! sub(-2147483648, -1) => returned arith.c:9:25 -2147483647
int sub(int a, int b) { return a - b; }
//! mul(65536, 32768) => violation signed-overflow arith.c:12:34: signed multiplication overflows: 65536 and 32768 in 32 bits
//! mul(65536, -32768) => returned arith.c:12:25 -2147483648
int mul(int a, int b) { return a * b; }
//! neg(-2147483648) => violation signed-overflow arith.c:15:25: signed subtraction overflows: 0 and -2147483648 in 32 bits
//! neg(5) => returned arith.c:15:18 -5
int neg(int a) { return -a; }
//! div(7, 0) => violation div-by-zero arith.c:20:34: division of 7 by zero
//! div(-7, 2) => returned arith.c:20:25 -3
//! div(-2147483648, -1) => violation signed-overflow arith.c:20:34: division overflows: -2147483648 by -1 in 32 bits
//! div(7, 0) off:div-by-zero => undefined div-by-zero arith.c:20:34: division of 7 by zero
int div(int a, int b) { return a / b; }
//! rem(-7, 2) => returned arith.c:23:25 -1
//! rem(-2147483648, -1) => violation signed-overflow arith.c:23:34: division overflows: -2147483648 by -1 in 32 bits
int rem(int a, int b) { return a % b; }
//! udiv(-7, 2) => returned arith.c:25:41 2147483644
unsigned udiv(unsigned a, unsigned b) { return a / b; }
//! shl(1, 31) => returned arith.c:29:35 -2147483648
//! shl(1, 32) => violation shift arith.c:29:44: shift amount 32 is not below the width 32
//! shl(1, -1) => violation shift arith.c:29:44: shift amount 4294967295 is not below the width 32
unsigned shl(unsigned a, int n) { return a << n; }
//! shr(-8, 1) => returned arith.c:32:25 -4
//! shr(-8, 40) => violation shift arith.c:32:34: shift amount 40 is not below the width 32
int shr(int a, int n) { return a >> n; }
//! narrow(300) => returned arith.c:34:21 88
int narrow(int a) { return (u8)a + (signed char)a; }
//! wide(-1, 3) => returned arith.c:37:70 4
#ifdef __SIZEOF_INT128__
long long wide(long long a, int n) { __int128 w = a; w = w * w << n; return w >> 1; }
#endif
//! big(5) target:avr => returned arith.c:41:18 500
//! big(2000) target:avr => violation signed-overflow arith.c:41:27: signed multiplication overflows: 2000 and 100 in 16 bits
int big(int a) { return a * 100; }
