#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

__attribute__((noinline)) uint16_t f(void) { uint16_t s = 1; for (uint16_t i = 0; i < 700; i++) s ^= s << 1 ^ i; return s; }

int main(void) {
    r = f();
    return 0;
}
