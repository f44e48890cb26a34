/* Functions to call at the end of the program (C17 7.22.4.2; Itanium C++ ABI 3.3.6). The engine's start-up code calls firmproof_run_atexit. */
#define LIB __attribute__((weak))
#define MOST 32

struct handler {
    void (*plain)(void);
    void (*with)(void *);
    void *arg;
};
static struct handler handlers[MOST];
static int registered;
void firmproof_run_atexit(void);
static void (*at_end)(void) = firmproof_run_atexit; /* so that it is linked, too */

static int add(struct handler h) {
    if (registered == MOST || !at_end)
        return -1;
    handlers[registered++] = h;
    return 0;
}

LIB int atexit(void (*f)(void)) { return add((struct handler){f, 0, 0}); }
LIB int __cxa_atexit(void (*f)(void *), void *arg, void *image) { return add((struct handler){0, f, arg}); }

LIB void firmproof_run_atexit(void) {
    while (registered > 0) {
        struct handler *h = &handlers[--registered];
        if (h->plain)
            h->plain();
        else
            h->with(h->arg);
    }
}
