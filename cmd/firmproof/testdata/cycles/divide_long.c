#include <stdint.h>

volatile uint8_t port, port2;
volatile uint32_t r;

__attribute__((noinline)) int32_t f(int32_t a, int32_t b) { return a / b; }

int main(void) {
    r = f(2000000000, 3); r = f(-1, -1); r = f(-2000000000, 7);
    return 0;
}
