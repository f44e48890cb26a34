/* The sensor node: commands in over the UART, heater duty and reports out. */
#ifndef NODE_H
#define NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"
#include "history.h"
#include "mode.h"
#include "pi.h"
#include "uart.h"

#define NODE_CLOCK 48000000u
#define NODE_BAUD 115200u
#define NODE_LIMIT (90 * PI_TEMP_ONE)     /* hotter than this is a fault */
#define NODE_NEAR (1 * PI_TEMP_ONE)       /* closer than this counts as reached */
#define NODE_RAMP_STEP (PI_TEMP_ONE / 4)  /* change of the target in a tick */

enum node_command {
    NODE_CMD_TARGET = 1, /* two bytes: temperature, little endian */
    NODE_CMD_ON = 2,
    NODE_CMD_OFF = 3,
    NODE_CMD_REPORT = 4, /* one byte: how many samples */
    NODE_CMD_RESET = 5
};

struct node {
    struct uart uart;
    struct frame_decoder decoder;
    struct history history;
    struct mode_machine mode;
    struct pi pi;
    int16_t wanted;       /* target that the host asked for */
    int16_t target;       /* target of the controller, ramping to wanted */
    uint8_t report;       /* samples of the report that is due; 0: none */
    uint32_t bad_frames;
};

void node_init(struct node *n, volatile struct uart_regs *regs);
bool node_command(struct node *n, const uint8_t *payload, size_t size); /* false: malformed */
void node_poll(struct node *n);                                        /* from the main loop */
int32_t node_tick(struct node *n, bool sensor_ok, int16_t measured, int32_t raw); /* heater duty */

extern struct node node; /* the one that UART0_IRQHandler serves */
void UART0_IRQHandler(void);

#endif
