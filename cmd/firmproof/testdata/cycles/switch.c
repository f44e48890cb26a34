#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

__attribute__((noinline)) uint8_t f(uint8_t a) { switch (a) { case 0: return 3; case 1: return a + port; case 2: port = 4; return 8; case 7: { uint8_t s = 0; for (uint8_t i = 0; i < 5; i++) s += port; return s; } default: return 1; } }

int main(void) {
    for (uint8_t i = 0; i < 9; i++) r = f(i);
    return 0;
}
