// Harness intrinsics: inputs, assumptions, assertions, ends of the program.
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
void __CPROVER_assert(int, const char *);
void reach_error(void);
void exit(int);
void unknown(void);

//! two_inputs(3, 4) => returned harness.c:10:24 34
int two_inputs(void) { return __VERIFIER_nondet_int() * 10 + __VERIFIER_nondet_int(); }
//! assumed(3) => assume-failed harness.c:13:54: assumption is false
//! assumed(5) => returned harness.c:13:80 5
int assumed(void) { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n > 4); return n; }
//! asserted(7) => returned harness.c:16:63
//! asserted(8) => violation assert harness.c:16:24: assertion failed: n is small
void asserted(int n) { __CPROVER_assert(n < 8, "n is small"); }
//! error(1) => violation assert harness.c:19:28: reach_error reached
//! error(0) => returned harness.c:19:43
void error(int n) { if (n) reach_error(); }
//! leave(1) => exited harness.c:21:27: exit
int leave(int n) { if (n) exit(3); return 1; }
//! nobody(1) => unsupported harness.c:23:29: call of unknown, which has no body
void nobody(int n) { if (n) unknown(); }
//! forever() => step-limit harness.c:25:22: more than 1000000 instructions
void forever(void) { for (;;) ; }
