#include <stdint.h>

volatile uint8_t port, port2;
volatile uint32_t r;

__attribute__((noinline)) uint32_t f(uint32_t a, uint32_t b) { return (a ^ b) + (a & b) - (b | 0x10203040u); }

int main(void) {
    r = f(1, 2); r = f(0xffffffffu, 77777);
    return 0;
}
