// A C interface to CaDiCaL's C++ one: that of ccadical.h has no proofs.
#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp_cadical fp_cadical;

fp_cadical *fp_new(void);
void fp_free(fp_cadical *);
// fp_prove writes a proof to the file; to be called before anything else. 0 if it cannot be opened.
int fp_prove(fp_cadical *, const char *path);
void fp_option(fp_cadical *, const char *name, int value);
void fp_limit(fp_cadical *, const char *name, int value);
void fp_add(fp_cadical *, const int *lits, long n);
int fp_solve(fp_cadical *, const int *assumptions, long n);
int fp_val(fp_cadical *, int lit);
int fp_failed(fp_cadical *, int lit);
long fp_conflicts(fp_cadical *);
void fp_stop(fp_cadical *, int stop);

#ifdef __cplusplus
}
#endif
