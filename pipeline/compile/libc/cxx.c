/* What C++ without exceptions calls behind the scenes (Itanium C++ ABI 3.2.6, 3.3.2). */
typedef __SIZE_TYPE__ size_t;
#define LIB __attribute__((weak))
void *memalign(size_t alignment, size_t n);
void free(void *p);
void abort(void);
void __VERIFIER_assume(int c);
void firmproof_assert(_Bool c, const char *message);

/* Operators new and delete of types with an alignment of their own ([new.delete]); without exceptions there is nothing
   to tell that memory is short: new succeeds or the program ends. */
static void *aligned(size_t n, size_t alignment) {
    void *p = memalign(alignment, n);
    __VERIFIER_assume(p != 0);
    return p;
}
#if __SIZEOF_SIZE_T__ == 8
LIB void *_ZnwmSt11align_val_t(size_t n, size_t alignment) { return aligned(n, alignment); }
LIB void *_ZnamSt11align_val_t(size_t n, size_t alignment) { return aligned(n, alignment); }
LIB void _ZdlPvmSt11align_val_t(void *p, size_t n, size_t alignment) { free(p); }
LIB void _ZdaPvmSt11align_val_t(void *p, size_t n, size_t alignment) { free(p); }
#else
LIB void *_ZnwjSt11align_val_t(size_t n, size_t alignment) { return aligned(n, alignment); }
LIB void *_ZnajSt11align_val_t(size_t n, size_t alignment) { return aligned(n, alignment); }
LIB void _ZdlPvjSt11align_val_t(void *p, size_t n, size_t alignment) { free(p); }
LIB void _ZdaPvjSt11align_val_t(void *p, size_t n, size_t alignment) { free(p); }
#endif
LIB void _ZdlPvSt11align_val_t(void *p, size_t alignment) { free(p); }
LIB void _ZdaPvSt11align_val_t(void *p, size_t alignment) { free(p); }

LIB void __cxa_pure_virtual(void) { firmproof_assert(0, "pure virtual function called"); }
LIB void __cxa_deleted_virtual(void) { firmproof_assert(0, "deleted virtual function called"); }

#if defined(__ARM_EABI__)
typedef int guard;
#else
typedef long long guard;
#endif
LIB int __cxa_guard_acquire(guard *g) { return !*(char *)g; }
LIB void __cxa_guard_release(guard *g) { *(char *)g = 1; }
LIB void __cxa_guard_abort(guard *g) {}
LIB void *__dso_handle;

/* Without run-time types, std::make_shared tells its tag by its address before it asks this. */
LIB _Bool _ZNSt19_Sp_make_shared_tag5_S_eqERKSt9type_info(const void *type) { return 0; }

/* Reference counts of processors without atomic operations, by the names that include/cxx/ext/atomicity.h gives them. */
LIB int _ZN9__gnu_cxx18__exchange_and_addEPii(int *counter, int by) {
    int old = *counter;
    *counter = (int)((unsigned)old + (unsigned)by);
    return old;
}
LIB void _ZN9__gnu_cxx12__atomic_addEPii(int *counter, int by) { *counter = (int)((unsigned)*counter + (unsigned)by); }

/* Links of std::list. */
typedef struct link { struct link *next, *previous; } link;
LIB void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(link *self, link *position) {
    self->next = position;
    self->previous = position->previous;
    position->previous->next = self;
    position->previous = self;
}
LIB void _ZNSt8__detail15_List_node_base9_M_unhookEv(link *self) {
    self->previous->next = self->next;
    self->next->previous = self->previous;
}

/* What throws in the standard library ends a program without exceptions. */
LIB void _ZSt9terminatev(void) { abort(); }
LIB void _ZSt17__throw_bad_allocv(void) { abort(); }
LIB void _ZSt28__throw_bad_array_new_lengthv(void) { abort(); }
LIB void _ZSt16__throw_bad_castv(void) { abort(); }
LIB void _ZSt25__throw_bad_function_callv(void) { abort(); }
LIB void _ZSt19__throw_logic_errorPKc(const char *what) { abort(); }
LIB void _ZSt20__throw_domain_errorPKc(const char *what) { abort(); }
LIB void _ZSt20__throw_length_errorPKc(const char *what) { abort(); }
LIB void _ZSt20__throw_out_of_rangePKc(const char *what) { abort(); }
LIB void _ZSt24__throw_out_of_range_fmtPKcz(const char *what, ...) { abort(); }
LIB void _ZSt24__throw_invalid_argumentPKc(const char *what) { abort(); }
LIB void _ZSt21__throw_runtime_errorPKc(const char *what) { abort(); }
LIB void _ZSt22__throw_overflow_errorPKc(const char *what) { abort(); }
LIB void _ZSt19__throw_range_errorPKc(const char *what) { abort(); }
