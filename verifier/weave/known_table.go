package weave

// apiEffect is the effect of a call of a function, as far as a caller can see it. Pointers that are not named here lead
// to what the call leaves alone: handles of the library.
type apiEffect struct {
	gives    result
	from, to int64 // of a number
	most     int   // the parameter whose value the result is at most: from 1; 0: none
	says     success
	writes   []int // parameters that lead to an object that gets any value where the call says so
	fills    []int // a parameter that leads to a buffer, and the one that says how many bytes it gets then
	may      []int // parameters that lead to an object that gets any value, or stays as it is, whatever the call says
}

// success is how a call says that it has written what it is to write. Where it says otherwise, nothing is written.
type success int

const (
	always     success = iota // it says nothing: it does
	nonzero                   // with a result that is not zero
	zero                      // with zero
	zeroOrPart                // with zero; else it may have begun, so that it writes or does not
	counts                    // the result is how many bytes of the buffer it has written
)

// result is what kind of value a call gives.
type result int

const (
	anyValue  result = iota
	inRange          // from from to to, or to the value of a parameter
	handle           // null, or a block of its own
	allocates        // as malloc does
	frees            // as free does
)

// knownFuncs are functions of operating systems and vendors' libraries that programs call by the same names
// everywhere.
var knownFuncs = map[string]apiEffect{
	// FreeRTOS
	"xTaskGetTickCount": {}, "xTaskGetTickCountFromISR": {}, "xTaskGetSchedulerState": {gives: inRange, to: 2},
	"vTaskDelay": {}, "xTaskDelayUntil": {gives: inRange, to: 1, writes: []int{0}},
	"vTaskDelayUntil":    {writes: []int{0}},
	"vTaskEnterCritical": {}, "vTaskExitCritical": {}, "vPortEnterCritical": {}, "vPortExitCritical": {},
	"vPortYield": {}, "vTaskSuspendAll": {}, "xTaskResumeAll": {gives: inRange, to: 1}, "vTaskSuspend": {},
	"vTaskResume": {}, "uxTaskPriorityGet": {}, "vTaskPrioritySet": {}, "uxTaskGetStackHighWaterMark": {},
	"uxTaskGetNumberOfTasks": {}, "xTaskGetCurrentTaskHandle": {gives: handle},
	"xTaskGenericNotify":            {gives: inRange, to: 1, writes: []int{4}},
	"xTaskGenericNotifyWait":        {gives: inRange, to: 1, writes: []int{3}},
	"ulTaskGenericNotifyTake":       {},
	"vTaskGenericNotifyGiveFromISR": {may: []int{2}},
	"xQueueGenericCreate":           {gives: handle}, "xQueueCreateMutex": {gives: handle},
	"xQueueCreateCountingSemaphore": {gives: handle},
	"xQueueGenericSend":             {gives: inRange, to: 1},
	"xQueueGenericSendFromISR":      {gives: inRange, to: 1, may: []int{2}},
	"xQueueGiveFromISR":             {gives: inRange, to: 1, may: []int{1}},
	"xQueueReceive":                 {gives: inRange, to: 1, says: nonzero, writes: []int{1}},
	"xQueuePeek":                    {gives: inRange, to: 1, says: nonzero, writes: []int{1}},
	"xQueueReceiveFromISR": {gives: inRange, to: 1, says: nonzero, writes: []int{1},
		may: []int{2}},
	"xQueueSemaphoreTake": {gives: inRange, to: 1}, "xQueueTakeMutexRecursive": {gives: inRange, to: 1},
	"xQueueGiveMutexRecursive": {gives: inRange, to: 1}, "uxQueueMessagesWaiting": {},
	"uxQueueSpacesAvailable": {}, "vQueueDelete": {},
	"xEventGroupCreate": {gives: handle}, "xEventGroupWaitBits": {}, "xEventGroupSetBits": {},
	"xEventGroupClearBits": {}, "xTimerCreate": {gives: handle},
	"xTimerGenericCommand": {gives: inRange, to: 1, may: []int{3}},
	"xStreamBufferSend":    {gives: inRange, most: 3}, "xStreamBufferReceive": {gives: inRange, most: 3,
		says: counts, fills: []int{1, 2}},
	"pvPortMalloc": {gives: allocates}, "vPortFree": {gives: frees}, "xPortGetFreeHeapSize": {},
	// STM32 HAL
	"HAL_GetTick": {}, "HAL_Delay": {}, "HAL_IncTick": {}, "HAL_NVIC_SetPriority": {}, "HAL_NVIC_EnableIRQ": {},
	"HAL_NVIC_DisableIRQ": {}, "HAL_GPIO_ReadPin": {gives: inRange, to: 1}, "HAL_GPIO_WritePin": {},
	"HAL_GPIO_TogglePin": {}, "HAL_RCC_GetSysClockFreq": {}, "HAL_RCC_GetPCLK1Freq": {}, "HAL_RCC_GetPCLK2Freq": {},
	"HAL_UART_Transmit": {gives: inRange, to: 3}, "HAL_UART_Receive": {gives: inRange, to: 3, says: zeroOrPart,
		fills: []int{1, 2}},
	"HAL_UART_Transmit_IT": {gives: inRange, to: 3}, "HAL_UART_Transmit_DMA": {gives: inRange, to: 3},
	"HAL_SPI_Transmit": {gives: inRange, to: 3}, "HAL_SPI_Receive": {gives: inRange, to: 3, says: zeroOrPart,
		writes: []int{1}},
	"HAL_SPI_TransmitReceive": {gives: inRange, to: 3, says: zeroOrPart, writes: []int{2}},
	"HAL_I2C_Master_Transmit": {gives: inRange, to: 3},
	"HAL_I2C_Master_Receive":  {gives: inRange, to: 3, says: zeroOrPart, fills: []int{2, 3}},
	"HAL_I2C_Mem_Write":       {gives: inRange, to: 3},
	"HAL_I2C_Mem_Read":        {gives: inRange, to: 3, says: zeroOrPart, fills: []int{4, 5}},
	"HAL_ADC_Start":           {gives: inRange, to: 3}, "HAL_ADC_Stop": {gives: inRange, to: 3}, "HAL_ADC_GetValue": {},
	"HAL_ADC_PollForConversion": {gives: inRange, to: 3}, "HAL_FLASH_Unlock": {gives: inRange, to: 3},
	"HAL_FLASH_Lock": {gives: inRange, to: 3}, "HAL_IWDG_Refresh": {gives: inRange, to: 3},
	// CMSIS-RTOS
	"osDelay": {}, "osDelayUntil": {}, "osKernelGetTickCount": {}, "osKernelGetTickFreq": {},
	"osMutexNew":     {gives: handle},
	"osMutexAcquire": {}, "osMutexRelease": {}, "osSemaphoreNew": {gives: handle}, "osSemaphoreAcquire": {},
	"osSemaphoreRelease": {}, "osThreadYield": {}, "osMessageQueueNew": {gives: handle}, "osMessageQueuePut": {},
	"osMessageQueueGet": {says: zero, writes: []int{1, 2}},
	"osEventFlagsSet":   {}, "osEventFlagsWait": {}, "osEventFlagsClear": {},
	// lwIP
	"sys_now": {}, "sys_jiffies": {}, "sys_arch_protect": {}, "sys_arch_unprotect": {}, "sys_mutex_lock": {},
	"sys_mutex_unlock": {}, "sys_sem_signal": {}, "sys_arch_sem_wait": {},
	// POSIX
	"read":  {gives: inRange, from: -1, most: 3, says: counts, fills: []int{1, 2}},
	"write": {gives: inRange, from: -1, most: 3},
	"recv":  {gives: inRange, from: -1, most: 3, says: counts, fills: []int{1, 2}},
	"send":  {gives: inRange, from: -1, most: 3},
	"open":  {gives: inRange, from: -1, to: 1<<31 - 1}, "close": {gives: inRange, from: -1}, "usleep": {gives: inRange,
		from: -1},
	"sleep": {gives: inRange, most: 1}, "getpid": {gives: inRange, from: 1, to: 1<<31 - 1},
	"socket": {gives: inRange, from: -1, to: 1<<31 - 1}, "gettimeofday": {gives: inRange, from: -1, says: zero,
		writes: []int{0}},
	"clock_gettime": {gives: inRange, from: -1, says: zero, writes: []int{1}}, "nanosleep": {gives: inRange, from: -1},
	"sched_yield": {gives: inRange, from: -1}, "pthread_mutex_lock": {}, "pthread_mutex_unlock": {},
	"pthread_mutex_init": {}, "pthread_mutex_destroy": {}, "pthread_join": {}, "tcflush": {gives: inRange, from: -1},
	"fsync": {gives: inRange, from: -1}, "isatty": {gives: inRange, to: 1},
	"sched_get_priority_max": {gives: inRange, from: -1, to: 1<<31 - 1},
	"sched_get_priority_min": {gives: inRange, from: -1, to: 1<<31 - 1},
}

// NeverNull reports whether a function of the C library or of POSIX gives a pointer that its caller need not compare
// with null.
func NeverNull(name string) bool {
	switch name {
	case "localeconv", "strerror", "gai_strerror", "hstrerror", "__errno_location", "__errno", "__error",
		"basename", "dirname":
		return true
	}
	return false
}
