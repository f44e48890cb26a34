/* Arrays, structs, pointers, function pointers, recursion, string functions. */
typedef __SIZE_TYPE__ size_t; typedef unsigned u32; typedef unsigned long long u64;
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t); void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t); size_t strlen(const char *); char *strcpy(char *, const char *); char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *); int strcmp(const char *, const char *); int strncmp(const char *, const char *, size_t);
char *strchr(const char *, int); char *strrchr(const char *, int); char *strstr(const char *, const char *); void *memchr(const void *, int, size_t);
int toupper(int); int isalpha(int); int abs(int); char *strdup(const char *);
struct node { int key; struct node *left, *right; };
static u32 state;
static u32 next(void) { state ^= state << 13; state ^= state >> 17; state ^= state << 5; return state; }
static struct node *insert(struct node *t, int key)
{
	if (!t) {
		t = calloc(1, sizeof *t);
		t->key = key;
	} else if (key < t->key) {
		t->left = insert(t->left, key);
	} else if (key > t->key) {
		t->right = insert(t->right, key);
	}
	return t;
}
static u64 walk(struct node *t, u64 acc)
{
	if (!t)
		return acc;
	acc = walk(t->left, acc) * 33 + t->key;
	acc = walk(t->right, acc);
	free(t);
	return acc;
}
static int up(const void *a, const void *b) { return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b); }
static int down(const void *a, const void *b) { return -up(a, b); }
static void sort(void *base, int n, int size, int (*cmp)(const void *, const void *))
{
	char tmp[16];
	for (int i = 1; i < n; i++)
		for (int j = i; j > 0 && cmp((char *)base + j * size, (char *)base + (j - 1) * size) < 0; j--) {
			char *a = (char *)base + j * size, *b = a - size;
			memcpy(tmp, a, size); memcpy(a, b, size); memcpy(b, tmp, size);
		}
}
static int sign(int x) { return (x > 0) - (x < 0); }
static u64 strings(u64 sum)
{
	char a[40] = "firm", b[40], *c;
	strcat(a, "ware proof"); strcpy(b, a);
	for (int i = 0; b[i]; i++)
		if (isalpha(b[i])) b[i] = toupper(b[i]);
	strncpy(b + 20, a, 8); b[28] = 0;
	memmove(a + 3, a, strlen(a) + 1);
	c = strdup(b);
	sum = sum * 7 + strlen(a) + sign(strcmp(a, b)) + sign(strncmp(a, "firfirm", 7)) * 3 + (strchr(a, 'w') - a) + (strrchr(a, 'r') - a) * 2 +
	      (strstr(a, "proof") - a) * 5 + ((char *)memchr(b, 'P', 20) - b) + sign(memcmp(c, b, 10)) + abs(-(int)strlen(c)) + (strchr(b, 'q') == 0);
	for (char *p = b; *p; p++) sum = sum * 31 + *p;
	free(c);
	return sum;
}
u64 run(u32 seed)
{
	int v[25];
	struct node *tree = 0;
	int *grow = 0;
	u64 sum = 0;
	state = seed + 1;
	for (int i = 0; i < 25; i++) {
		v[i] = (int)(next() % 1000) - 500;
		tree = insert(tree, v[i] / 3);
		grow = realloc(grow, (i + 1) * sizeof *grow);
		grow[i] = v[i];
	}
	sort(v, 25, sizeof *v, seed & 1 ? up : down);
	for (int i = 0; i < 25; i++)
		sum = sum * 17 + v[i] * 3 + grow[24 - i];
	free(grow);
	return strings(walk(tree, sum));
}
