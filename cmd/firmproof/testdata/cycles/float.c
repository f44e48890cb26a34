#include <stdint.h>

volatile uint8_t port, port2;
volatile float r;

__attribute__((noinline)) float f(float a, float b) { return a * b + a; }

int main(void) {
    r = f(1.5f, 2.5f); r = f(-1e30f, 1e20f); r = f(0.001f, 3e-38f); r = f(1e-40f, 1e-5f);
    return 0;
}
