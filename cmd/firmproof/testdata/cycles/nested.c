#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

uint8_t m[4][6];
__attribute__((noinline)) uint8_t f(void) { uint8_t s = 0; for (uint8_t i = 0; i < 4; i++) for (uint8_t j = 0; j < 6; j++) s = (s << 1 | s >> 7) ^ m[i][j]; return s; }

int main(void) {
    r = f(); m[3][2] = 9; r = f();
    return 0;
}
