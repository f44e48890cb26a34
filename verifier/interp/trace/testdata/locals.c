// Parameters named like what they point to in the caller.
static void put(char *out, int *n)
{
	out[(*n)++] = 'a';
}

void harness(void)
{
	char out[4];
	int n = 0;
	put(out, &n);
}
// Steps:
// 7:0 call: harness
// 10:6 assign: n = 0 [00 00 00 00] int (object 1, frame 1)
//   11:2 call: put = out = harness::out, n = &harness::n
//   4:10 assign: n = 1 [01 00 00 00] int (object 1, frame 1)
//   4:14 assign: out[0] = 'a' [61] char (object 2, frame 1)
