#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

uint8_t m[255];
__attribute__((noinline)) uint16_t f(uint8_t n) { uint16_t s = 0; for (uint8_t i = 0; i < n; i++) s += m[i]; return s; }

int main(void) {
    r = f(0); r = f(7); r = f(255);
    return 0;
}
