// Equal names of several calls: each call of a recursion has a local of its own, and another function one more.

static int count(int n) {
	int i = n;
	if (n > 0)
		i += count(n - 1);
	return i;
}

static void fill(int *to, int with) {
	for (int i = 0; i < 2; i++)
		to[i] = with;
}

int harness(void) {
	int i[2];
	fill(i, 7);
	return count(2) + i[1];
}

// Steps:
// 15:0 call: harness
//   17:2 call: fill = to = i, with = 7
//   11:11 assign: i = 0 [00 00 00 00] int (object 1, frame 2)
//   12:9 assign: i[0] = 7 [07 00 00 00] int (object 2, frame 1)
//   11:26 assign: i = 1 [01 00 00 00] int (object 1, frame 2)
//   12:9 assign: i[1] = 7 [07 00 00 00] int (object 2, frame 1)
//   11:26 assign: i = 2 [02 00 00 00] int (object 1, frame 2)
//   18:9 call: count = n = 2
//   4:6 assign: i = 2 [02 00 00 00] int (object 3, frame 2)
//     6:8 call: count = n = 1
//     4:6 assign: i = 1 [01 00 00 00] int (object 4, frame 3)
//       6:8 call: count = n = 0
//       4:6 assign: i = 0 [00 00 00 00] int (object 5, frame 4)
//     7:2 return: count = 0 [00 00 00 00] int
//     6:5 assign: i = 1 [01 00 00 00] int (object 4, frame 3)
//   7:2 return: count = 1 [01 00 00 00] int
//   6:5 assign: i = 3 [03 00 00 00] int (object 3, frame 2)
// 7:2 return: count = 3 [03 00 00 00] int
// 18:2 return: harness = 10 [0a 00 00 00] int
