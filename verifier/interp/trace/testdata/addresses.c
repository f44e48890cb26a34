// Numbers that are the address of an object are shown with it.
struct both { unsigned at, next; };
static unsigned harness_of(char *p) { return (unsigned)p; }
int harness(void) {
  char c = 1;
  unsigned at = harness_of(&c);
  unsigned next = at + 1;
  struct both b = {at, next};
  struct both *p = &b;
  return next - p->at != 1;
}
// Steps:
// 4:0 call: harness
// 5:8 assign: c = 1 [01] char (object 1, frame 1)
//   6:17 call: harness_of = p = &c
// 3:39 return: harness_of = 4096 [00 10 00 00] unsigned int
// 6:12 assign: at = 4096 unsigned int (object 2, frame 1)
// 7:12 assign: next = 4097 [01 10 00 00] unsigned int (object 3, frame 1)
// 8:19 assign: b.at = 4096 unsigned int (object 4, frame 1)
// 8:19 assign: b.next = 4097 [01 10 00 00] unsigned int (object 4, frame 1)
// 9:16 assign: p = &b struct both * (object 5, frame 1)
// 10:3 return: harness = 0 [00 00 00 00] int
