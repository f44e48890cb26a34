#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

uint8_t m[16];
__attribute__((noinline)) uint8_t f(void) { uint8_t s = 0; for (uint8_t i = 0; i < 16; i++) s += m[i] ^ i; return s; }

int main(void) {
    r = f(); m[3] = 9; r = f();
    return 0;
}
