// Turns that read inputs, with memory of all kinds.
int nondet(void);
static int sum; static int *last = &sum;
struct node { struct node *next; int n; };
void *malloc(unsigned long);
int turns(void) {
    struct node *list = 0; int parts[3] = {0};
    for (int i = 0; i < 3; i++) {
        int n = nondet();
        struct node *x = malloc(sizeof *x);
        if (!x) return -1;
        x->next = list; x->n = n; list = x;
        *last += n; parts[i] = n; last = i == 1 ? &parts[2] : &sum;
    }
    int all = 0;
    for (struct node *x = list; x; x = x->next) all = all * 10 + x->n;
    return all * 1000 + sum * 10 + parts[2];
}
