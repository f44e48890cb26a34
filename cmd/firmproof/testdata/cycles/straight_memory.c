#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

uint8_t m[8];
__attribute__((noinline)) uint8_t f(uint8_t *p) { p[3] = p[0] + p[1]; p[2] ^= p[3]; return p[2] | 5; }

int main(void) {
    r = f(m); m[0] = 200; r = f(m);
    return 0;
}
