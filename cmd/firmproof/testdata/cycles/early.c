#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

uint8_t m[12];
__attribute__((noinline)) int8_t f(uint8_t k) { for (int8_t i = 0; i < 12; i++) if (m[i] == k) return i; return -1; }

int main(void) {
    m[5] = 9; r = f(9); r = f(1); r = f(0);
    return 0;
}
