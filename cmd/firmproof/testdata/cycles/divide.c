#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

__attribute__((noinline)) uint16_t f(uint16_t a, uint16_t b) { return a / b + a % b; }

int main(void) {
    r = f(65535, 1); r = f(3, 9); r = f(50000, 777); r = f(65535, 65535);
    return 0;
}
