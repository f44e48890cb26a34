#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

uint8_t m[10];
__attribute__((noinline)) void f(void) { for (uint8_t i = 0; i < 9; i++) for (uint8_t j = 0; j < 9 - i; j++) if (m[j] > m[j + 1]) { uint8_t t = m[j]; m[j] = m[j + 1]; m[j + 1] = t; } }

int main(void) {
    for (uint8_t i = 0; i < 10; i++) m[i] = 100 - i; f(); f();
    return 0;
}
