#include <stdint.h>

volatile uint8_t port, port2;
volatile uint16_t r;

__attribute__((noinline)) uint8_t f(uint8_t a) { if (a & 0x10) port = 1; if (!(port & 4)) port = a; if (a & 0x80) port2 = 7; return a; }

int main(void) {
    r = f(0); r = f(0x90); r = f(255);
    return 0;
}
