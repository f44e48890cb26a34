#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

__attribute__((noinline)) uint8_t f(uint8_t a) { if (a > 10) return a * 3 + 1; if (a == 4) return 9; return a ^ 0x55; }

int main(void) {
    for (uint8_t i = 0; i < 20; i++) r = f(i);
    return 0;
}
