// A list of up to N nodes (malloc may fail) is built and reversed: its values come in the order they went in.
#include <assert.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

int main(void) {
  struct node *head = 0, *back = 0;
  int made = 0;
  for (int i = 0; i < N; i++) {
    struct node *n = malloc(sizeof *n);
    if (!n)
      break;
    n->value = i;
    n->next = head;
    head = n;
    made++;
  }
  while (head) {
    struct node *next = head->next;
    head->next = back;
    back = head;
    head = next;
  }
  int at = 0;
  while (back) {
    struct node *next = back->next;
    assert(back->value == at);
    at++;
    free(back);
    back = next;
  }
  assert(at == made);
  return 0;
}
