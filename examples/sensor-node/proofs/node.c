#include "firmproof.h"
#include "node.h"

#define SIZE 6u

static struct uart_regs registers;

/* Any bytes as commands: the node stays valid, and the target within what the heater may reach. */
void node_command_harness(void)
{
    struct node n;
    uint8_t payload[SIZE];
    size_t size = firmproof_nondet_uchar();

    node_init(&n, &registers);
    firmproof_assume(size <= SIZE);
    for (unsigned i = 0; i < SIZE; i++) {
        payload[i] = firmproof_nondet_uchar();
    }
    (void)node_command(&n, payload, size);
    firmproof_assert(n.wanted >= 0 && n.wanted <= NODE_LIMIT, "the target stays within limits");
    firmproof_assert(mode_valid(&n.mode), "the mode stays valid");
    firmproof_assert(n.mode.mode == MODE_OFF || n.mode.mode == MODE_WARMUP, "a command alone does not run or fault");
}

/* Two ticks with any readings: a heater that is on has a good sensor and no overheating behind it. */
void node_tick_harness(void)
{
    struct node n;

    node_init(&n, &registers);
    mode_handle(&n.mode, MODE_EVENT_ON);
    for (int i = 0; i < 2; i++) {
        bool sensor_ok = firmproof_nondet_bool();
        int16_t measured = firmproof_nondet_short();
        int32_t duty = node_tick(&n, sensor_ok, measured, firmproof_nondet_int());

        firmproof_assert(duty >= 0 && duty <= PI_DUTY_MAX, "duty within its limits");
        firmproof_assert(duty == 0 || (sensor_ok && measured <= NODE_LIMIT), "no heat without a good reading");
        firmproof_assert(mode_valid(&n.mode) && pi_valid(&n.pi), "the parts stay valid");
    }
}
