/* <math.h>: roundings to integers (C17 7.12.9). A result that does not fit is the check `conversion`. */
#define LIB __attribute__((weak))
double round(double x);
float roundf(float x);
double rint(double x);
float rintf(float x);
LIB long lround(double x) { return (long)round(x); }
LIB long lroundf(float x) { return (long)roundf(x); }
LIB long long llround(double x) { return (long long)round(x); }
LIB long long llroundf(float x) { return (long long)roundf(x); }
LIB long lrint(double x) { return (long)rint(x); }
LIB long lrintf(float x) { return (long)rintf(x); }
LIB long long llrint(double x) { return (long long)rint(x); }
LIB long long llrintf(float x) { return (long long)rintf(x); }
