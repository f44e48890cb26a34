#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

__attribute__((noinline)) uint8_t f(uint8_t a, uint8_t b) { for (uint8_t i = 0; i < 14 && b; i++) { uint8_t t = a % b; a = b; b = t; } return a; }

int main(void) {
    r = f(233, 144); r = f(1, 0); r = f(144, 233); r = f(255, 254);
    return 0;
}
