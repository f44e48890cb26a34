// Insertion sort of N numbers: they are in order.
#include <assert.h>

int nondet_int(void);

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++)
    a[i] = nondet_int();
  for (int i = 1; i < N; i++) {
    int x = a[i], k = i;
    while (k > 0 && a[k - 1] > x) {
      a[k] = a[k - 1];
      k--;
    }
    a[k] = x;
  }
  for (int i = 1; i < N; i++)
    assert(a[i - 1] <= a[i]);
  return 0;
}
