/* The byte order of the network (POSIX arpa/inet.h). */
#define LIB __attribute__((weak))
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NET16(x) ((uint16_t)((x) >> 8 | (x) << 8))
#define NET32(x) ((x) >> 24 | ((x) >> 8 & 0xff00u) | ((x) & 0xff00u) << 8 | (x) << 24)
#else
#define NET16(x) (x)
#define NET32(x) (x)
#endif
LIB uint16_t htons(uint16_t x) { return NET16(x); }
LIB uint16_t ntohs(uint16_t x) { return NET16(x); }
LIB uint32_t htonl(uint32_t x) { return NET32(x); }
LIB uint32_t ntohl(uint32_t x) { return NET32(x); }
