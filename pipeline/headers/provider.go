package headers

import "regexp"

// providers names who provides headers that projects rarely keep in their own tree, by the names that includes have.
var providers = []struct {
	name, how string
	headers   *regexp.Regexp
}{
	{"Zephyr", "`west build` makes a part of them", regexp.MustCompile(
		`^(zephyr/.*|devicetree\w*\.h|autoconf\.h|dt-bindings/.*)$`)},
	{"ESP-IDF", "`idf.py build` makes a part of them", regexp.MustCompile(
		`^((freertos|driver|soc|hal|rom|esp\w*)/.*|esp_\w+\.h|sdkconfig\.h|nvs(_flash)?\.h|mdns\.h|mqtt_client\.h)$`)},
	{"the Arduino core of the board", "`arduino-cli core install` brings them", regexp.MustCompile(
		`^(Arduino|WProgram|Wire|SPI|EEPROM|HardwareSerial|SoftwareSerial|Stream|Print|avr/\w+|util/\w+)(\.h)?$`)},
	{"the Pico SDK", "", regexp.MustCompile(`^(pico|hardware)/.*$`)},
	{"CMSIS", "Arm's package", regexp.MustCompile(`^(core_c[ma]\w+|cmsis_\w+|arm_math)\.h$`)},
	{"STM32Cube or StdPeriph", "packages of ST for the family of the chip", regexp.MustCompile(`^stm(32|8)\w+\.h$`)},
	{"IAR's compiler", "its folder `inc`", regexp.MustCompile(`^(intrinsics|iar_\w+|io(stm8|avr|m\d|430|cc\d)\w*)\.h$`)},
	{"TI's compiler or device package", "", regexp.MustCompile(`^(msp430\w*\.h|(driverlib|ti)/.*|inc/hw_\w+\.h)$`)},
	{"the nRF SDK", "", regexp.MustCompile(`^nrfx?(_\w+)?\.h$`)},
	{"the FreeRTOS kernel", "", regexp.MustCompile(`^(FreeRTOS|FreeRTOSConfig|semphr|portmacro)\.h$`)},
	{"lwIP", "", regexp.MustCompile(`^(lwip|netif)/.*$`)},
	{"Windows", "the files that include them are for programs on a PC", regexp.MustCompile(
		`^(windows|winsock2?|ws2tcpip|tchar|conio)\.h$`)},
	{"Mbed TLS", "", regexp.MustCompile(`^(mbedtls|psa)/.*$`)},
}

// Provider returns who provides a header that a tree does not have, "" where that is not known, and how it comes.
func Provider(name string) (who, how string) {
	for _, p := range providers {
		if p.headers.MatchString(name) {
			return p.name, p.how
		}
	}
	return "", ""
}
