# 1 "firmproof-contract.h"
typedef __SIZE_TYPE__ __CPROVER_size_t;
typedef __PTRDIFF_TYPE__ __CPROVER_ssize_t;
typedef _Bool __CPROVER_bool;
struct firmproof_target { const volatile char *p; __SIZE_TYPE__ n; };
struct firmproof_frame {
  struct firmproof_frame *outer;
  __SIZE_TYPE__ since;
  int on, n, f;
  struct firmproof_target t[ROOM];
  void *freed[8];
  struct firmproof_target local[8];
};
void firmproof_contract_assert(_Bool, const char *);
void firmproof_contract_assume(_Bool);
void firmproof_contract_havoc(void *, __SIZE_TYPE__);
_Bool firmproof_contract_r_ok(const volatile void *, __SIZE_TYPE__);
_Bool firmproof_contract_w_ok(const volatile void *, __SIZE_TYPE__);
_Bool firmproof_contract_same(const volatile void *, const volatile void *);
__SIZE_TYPE__ firmproof_contract_offset(const volatile void *);
__SIZE_TYPE__ firmproof_contract_size(const volatile void *);
_Bool firmproof_contract_as_facts(void);
unsigned long long firmproof_contract_index(void);
_Bool firmproof_contract_for_all(_Bool);
__SIZE_TYPE__ firmproof_contract_now(void);
_Bool firmproof_contract_since(const volatile void *, __SIZE_TYPE__);
_Bool firmproof_nondet_firmproof_contract_choice(void);
__SIZE_TYPE__ firmproof_nondet_firmproof_contract_offset(void);
void firmproof_unsupported_predicate_of_another_file(void);
void firmproof_unsupported_uninterpreted_function_with_more_arguments(void);
WEAK struct firmproof_frame *firmproof_contract_top;
WEAK int firmproof_contract_mode;
WEAK int firmproof_contract_may_fail;
WEAK int firmproof_contract_seen_n;
WEAK void *firmproof_contract_seen[16];
WEAK __SIZE_TYPE__ firmproof_contract_seen_size[16];
WEAK const char firmproof_contract_write_text[] = "the assigns clause allows this write";
WEAK const char firmproof_contract_free_text[] = "the frees clause allows this";
WEAK void firmproof_contract_fresh(void) { firmproof_contract_seen_n = 0; }
WEAK void firmproof_contract_open(struct firmproof_frame *f) { f->on = 0; f->n = 0; f->f = 0; INIT_LOCALS }
WEAK void firmproof_contract_enter(struct firmproof_frame *f) {
  f->outer = firmproof_contract_top; f->since = firmproof_contract_now(); f->on = 1; firmproof_contract_top = f;
}
WEAK void firmproof_contract_leave(struct firmproof_frame *f) { if (f->on) { firmproof_contract_top = f->outer; f->on = 0; } }
WEAK void firmproof_contract_add(struct firmproof_frame *f, const volatile void *p, __SIZE_TYPE__ n) {
  f->t[f->n].p = (const volatile char *)p; f->t[f->n].n = n; f->n++;
}
WEAK void firmproof_contract_skip(struct firmproof_frame *f) { firmproof_contract_add(f, 0, 0); }
WEAK QUIET void firmproof_contract_add_whole(struct firmproof_frame *f, const volatile void *p) {
  firmproof_contract_add(f, (const volatile char *)p - firmproof_contract_offset(p), firmproof_contract_size(p));
}
WEAK QUIET void firmproof_contract_add_from(struct firmproof_frame *f, const volatile void *p) {
  firmproof_contract_add(f, p, firmproof_contract_size(p) - firmproof_contract_offset(p));
}
WEAK QUIET _Bool firmproof_contract_inside(struct firmproof_target *t, const volatile void *p, __SIZE_TYPE__ n) {
  __SIZE_TYPE__ at = firmproof_contract_offset(p), from = firmproof_contract_offset(t->p);
  return firmproof_contract_same(t->p, p) & (t->p != 0) & (at >= from) & (at - from <= t->n) & (n <= t->n - (at - from));
}
WEAK _Bool firmproof_contract_in_frame(struct firmproof_frame *f, const volatile void *p, __SIZE_TYPE__ n) {
  _Bool r = firmproof_contract_since(p, f->since);
  LOCALS
  TARGETS
  return r;
}
WEAK struct firmproof_frame *firmproof_contract_force(int left) {
  struct firmproof_frame *f = firmproof_contract_top;
  if (left > 0 && f != 0) f = f->outer;
  if (left > 1 && f != 0) f = f->outer;
  if (left > 2 && f != 0) f = f->outer;
  return f;
}
WEAK _Bool firmproof_contract_may_write(const volatile void *p, __SIZE_TYPE__ n, int left) {
  struct firmproof_frame *f = firmproof_contract_force(left);
  if (f == 0) return 1;
  return (n == 0) | firmproof_contract_in_frame(f, p, n);
}
WEAK _Bool firmproof_contract_may_free(void *p, int left) {
  struct firmproof_frame *f = firmproof_contract_force(left);
  if (f == 0) return 1;
  _Bool r = (p == 0) | firmproof_contract_since(p, f->since);
  FREED
  return r;
}
WEAK void firmproof_contract_may_be_freed(struct firmproof_frame *f, void *p) { f->freed[f->f] = p; f->f++; }
WEAK void firmproof_contract_local(void *p, __SIZE_TYPE__ n, int k) {
  if (firmproof_contract_top == 0) return;
  firmproof_contract_top->local[k].p = (char *)p; firmproof_contract_top->local[k].n = n;
}
WEAK _Bool firmproof_contract_valid(struct firmproof_frame *f, int i) {
  return (f->t[i].p == 0) | firmproof_contract_w_ok(f->t[i].p, f->t[i].n);
}
WEAK _Bool firmproof_contract_included(struct firmproof_frame *f, int i) {
  if (f->t[i].p == 0) return 1;
  return firmproof_contract_may_write(f->t[i].p, f->t[i].n, 0);
}
WEAK void firmproof_contract_havoc_target(struct firmproof_frame *f, int i) {
  if (f->t[i].p != 0) firmproof_contract_havoc((void *)f->t[i].p, f->t[i].n);
}
WEAK void firmproof_contract_truth(struct firmproof_frame *f, int i) {
  if (f->t[i].p != 0) *(unsigned char *)f->t[i].p &= 1;
}
WEAK void firmproof_contract_copied(void) {
  if (firmproof_contract_mode == 1 || firmproof_contract_mode == 2) firmproof_unsupported_predicate_of_another_file();
}
WEAK void firmproof_contract_note_fresh(void *p, __SIZE_TYPE__ n) {
  firmproof_contract_seen[firmproof_contract_seen_n] = p;
  firmproof_contract_seen_size[firmproof_contract_seen_n] = n;
  firmproof_contract_seen_n++;
}
WEAK QUIET _Bool firmproof_contract_apart(int i, const volatile void *p, __SIZE_TYPE__ n) {
  __SIZE_TYPE__ at = firmproof_contract_offset(p), before = firmproof_contract_offset(firmproof_contract_seen[i]);
  return !firmproof_contract_same(firmproof_contract_seen[i], p) | (at >= before + firmproof_contract_seen_size[i]) | (before >= at + n);
}
WEAK _Bool firmproof_contract_is_fresh(void **p, __SIZE_TYPE__ n) {
  if (firmproof_contract_mode == 1 || firmproof_contract_mode == 2) {
    if (firmproof_contract_may_fail && firmproof_nondet_firmproof_contract_choice()) return 0;
    firmproof_contract_assume(n <= LARGEST);
    void *firmproof_contract_q = __builtin_malloc(n);
    firmproof_contract_assume(firmproof_contract_q != 0);
    *p = firmproof_contract_q;
    firmproof_contract_note_fresh(firmproof_contract_q, n);
    return 1;
  }
  if (*p == 0) return 0;
  _Bool r = firmproof_contract_r_ok(*p, n);
  SEEN
  firmproof_contract_note_fresh(*p, n);
  return r;
}
WEAK QUIET _Bool firmproof_contract_in_range(const void *from, void **p, const void *to) {
  firmproof_contract_assert(firmproof_contract_r_ok(from, 0), "lower bound of a range is a valid pointer");
  firmproof_contract_assert(firmproof_contract_r_ok(to, 0), "upper bound of a range is a valid pointer");
  firmproof_contract_assert(firmproof_contract_same(from, to), "bounds of a range point into one object");
  __SIZE_TYPE__ low = firmproof_contract_offset(from), high = firmproof_contract_offset(to);
  firmproof_contract_assert(low <= high, "bounds of a range are in order");
  if (firmproof_contract_mode == 1 || firmproof_contract_mode == 2) {
    if (firmproof_contract_may_fail && firmproof_nondet_firmproof_contract_choice()) return 0;
    __SIZE_TYPE__ k = firmproof_nondet_firmproof_contract_offset();
    firmproof_contract_assume(k <= high - low);
    *p = (char *)from + k;
    return 1;
  }
  __SIZE_TYPE__ at = firmproof_contract_offset(*p);
  return firmproof_contract_same(from, *p) & (low <= at) & (at <= high);
}
WEAK _Bool firmproof_contract_equals(void **p, const volatile void *q) {
  if (firmproof_contract_mode == 1 || firmproof_contract_mode == 2) {
    if (firmproof_contract_may_fail && firmproof_nondet_firmproof_contract_choice()) return 0;
    *p = (void *)q;
    return 1;
  }
  return *p == q;
}
