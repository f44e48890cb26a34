#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

__attribute__((noinline)) uint16_t f(uint16_t a, uint16_t b) { return a * b + 7 * a; }

int main(void) {
    r = f(1, 2); r = f(65535, 40000);
    return 0;
}
