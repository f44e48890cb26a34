/* The firmware on a desk: the same sources with registers in memory. Exits with 0 if all is well. */
#include <stdio.h>
#include <string.h>

#include "crc16.h"
#include "node.h"
#include "ramp.h"
#include "report.h"

static int failures;

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            failures++;                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);         \
        }                                                                           \
    } while (0)

static struct uart_regs registers;

/* Delivers bytes as the hardware would, one interrupt for each. */
static void receive(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        CHECK(ring_push(&node.uart.rx, data[i]));
        if (ring_count(&node.uart.rx) == RING_SIZE) {
            node_poll(&node);
        }
    }
    node_poll(&node);
}

static void send_command(const uint8_t *payload, size_t size)
{
    uint8_t line[FRAME_MAX];

    receive(line, frame_encode(line, payload, size));
}

static void test_crc(void)
{
    CHECK(crc16((const uint8_t *)"123456789", 9) == 0x29B1); /* the published check value */
}

static void test_commands(void)
{
    const uint8_t on[] = {NODE_CMD_TARGET, 2, 0x00, 0x28, NODE_CMD_ON, 0};
    const uint8_t too_hot[] = {NODE_CMD_TARGET, 2, 0xFF, 0x7F};
    const uint8_t cut[] = {NODE_CMD_TARGET, 2, 0x00};
    uint8_t noise[] = {0x00, FRAME_SOF, 0xFF, FRAME_SOF, 1, 2, 3, 4};

    node_init(&node, &registers);
    send_command(on, sizeof on);
    CHECK(node.wanted == 40 * PI_TEMP_ONE && node.mode.mode == MODE_WARMUP);
    send_command(too_hot, sizeof too_hot);
    send_command(cut, sizeof cut);
    CHECK(node.wanted == 40 * PI_TEMP_ONE && node.bad_frames == 2);
    receive(noise, sizeof noise);
    CHECK(node.bad_frames == 4);
}

static void test_interrupt(void)
{
    node_init(&node, &registers);
    registers.status = UART_STATUS_RX_READY;
    registers.data = 'A';
    for (int i = 0; i < 5; i++) {
        UART0_IRQHandler();
    }
    CHECK(node.uart.received == 20 && node.uart.dropped == 4 && ring_count(&node.uart.rx) == RING_SIZE);
    registers.data = 'A' | UART_DATA_ERROR;
    UART0_IRQHandler();
    CHECK(node.uart.errors == 4);
    registers.status = 0;
}

static void test_report(void)
{
    const uint8_t ask[] = {NODE_CMD_REPORT, 1, 2};
    struct history h;
    uint8_t out[REPORT_MAX];

    history_init(&h);
    history_add(&h, 1000);
    history_add(&h, -2);
    CHECK(history_mean(&h) == 499);
    CHECK(report_build(out, MODE_RUN, &h, 1) >= REPORT_HEAD + REPORT_SAMPLE);
    CHECK(memcmp(out, "\x01\x02\x01\x00\xFE\xFF\xFF\xFF", 8) == 0);
    node_init(&node, &registers);
    registers.status = UART_STATUS_TX_EMPTY;
    send_command(ask, sizeof ask);
    CHECK(node.report == 0 && registers.data <= 0xFF);
}

/* A heater and a room, in 1/256 degree: the controller gets there and stays. */
static void test_control(void)
{
    int32_t heat = 20 * PI_TEMP_ONE * 64;

    node_init(&node, &registers);
    node.wanted = 40 * PI_TEMP_ONE;
    mode_handle(&node.mode, MODE_EVENT_ON);
    for (int i = 0; i < 4000; i++) {
        int16_t measured = (int16_t)(heat / 64);
        int32_t duty = node_tick(&node, true, measured, measured * 256);

        heat += 2 * duty - (heat / 64 - 20 * PI_TEMP_ONE) / 8;
    }
    CHECK(node.mode.mode == MODE_RUN);
    CHECK(heat / 64 > 39 * PI_TEMP_ONE && heat / 64 < 41 * PI_TEMP_ONE);
    CHECK(node_tick(&node, false, 0, 0) == 0 && node.mode.mode == MODE_FAULT);
}

static void test_helpers(void)
{
    CHECK(uart_divisor(48000000, 115200) == 417 && uart_divisor(1, 115200) == 1);
    CHECK(ramp_ticks(0, 100, 30) == 4 && ramp_ticks(100, 0, 50) == 2 && ramp_ticks(0, 1, 0) == 0);
    CHECK(ramp_log2(0) == 0 && ramp_log2(1) == 0 && ramp_log2(0x80000000u) == 31);
    CHECK(ramp_next(0, 100, 30) == 30 && ramp_next(100, 0, 30) == 70 && ramp_next(90, 100, 30) == 100);
}

int main(void)
{
    test_crc();
    test_commands();
    test_interrupt();
    test_report();
    test_control();
    test_helpers();
    printf("self-test: %s\n", failures == 0 ? "passed" : "FAILED");
    return failures == 0 ? 0 : 1;
}
