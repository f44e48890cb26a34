void emit(uint8_t c) { put("e"); num(c); } void emit16(uint16_t v) { put("E"); num(v); } void emiti(int v) { put("i"); num(v); }
static uint8_t tk; uint8_t take(void) { return tk += 77; }
void send(const uint8_t *p, uint8_t n) { put("s"); for (uint8_t i = 0; i < n; i++) num(p[i]); } void sendw(const uint16_t *p, uint8_t n) { put("w"); for (uint8_t i = 0; i < n; i++) num(p[i]); }
static void all(void) {
 uint8_t m[24]; uint16_t w[4]; struct dev d; struct ring r; int q[4]; int64_t x;
 T(f01) EW f01(W[i]);
 T(f02) EW f02(W[i]);
 T(f03) EW f03(W[i]);
 T(f04) EW f04(W[i]);
 T(f05) EB f05(B[i]);
 T(f06) EB num(f06());
 T(f07) for (int i = 0; i < 3; i++) { tk = 0; num(f07()); }
 T(f08) EB f08(B[i]);
 T(f09) EW f09(W[i]);
 T(f10) EW f10(W[i]);
 T(f11) EB f11((char)B[i]);
 T(f12) EW f12(W[i]);
 T(f13) EW f13(W[i]);
 T(f14) EB { reg8 = B[i]; num(f14()); num(reg8); }
 T(f15) EW { reg16 = W[i]; num(f15()); }
 T(f16) EB { for (int k = 0; k < 8; k++) m[k] = i * k; num(f16(m, i & 3)); }
 T(f17) EB { for (int k = 0; k < 8; k++) m[k] = B[i] + k; num(f17(m, i & 7)); }
 T(f18) EBB num(f18(B[i], B[j]));
 T(f19) EB { char s[3] = {'a', (char)B[i], 0}; num(f19(s)); }
 T(f20) EB { char s[3] = {'a', (char)B[i], 0}; num(f20(s)); }
 T(f21) m[0] = 5; f21(m + 4, m, 2); num(m[4]);
 T(f22) EW { q[0] = (int16_t)W[i]; q[1] = 3; num(f22(q, 2)); }
 T(f23) EW num(f23(W[i]));
 T(f24) EW num(f24(W[i]));
 T(f25) EW if (W[i] < 30000) num(f25(W[i]));
 T(f26) EB { d.st = B[i]; d.cnt = B[i]; d.err = W[i]; f26(&d); num(d.cnt); num(d.err); }
 T(f27) EB { r.head = i; r.tail = B[i] & 7; num(f27(&r, B[i])); num(r.head); num(r.buf[i & 7]); }
 T(f28) EB { memset(r.buf, i, 8); r.head = i; r.tail = B[i] & 7; num(f28(&r)); num(r.tail); }
 T(f29) EW { r.head = W[i]; r.tail = W[NW - 1 - i]; num(f29(&r)); }
 T(f30) EW { g30.head = W[i]; g30.tail = W[NW - 1 - i]; num(f30()); }
 T(f31) for (int k = 0; k < 8; k++) g30.buf[k] = k; g30.head = 0x102; g30.tail = 0x304; for (int k = 0; k < 20; k++) num(f31(k));
 T(f32) EB { f32(B[i], L[i % NL]); num(a32[B[i] % 3]); }
 T(f33) EB num(f33(B[i]));
 T(f34) EB { f34(B[i], B[NB - 1 - i]); num(a32[B[i] % 12 / 4]); }
 T(f35) f35(); num(a32[1]);
 T(f36) a32[1] = 5; a32[2] = 7; f36(); num(a32[0]); num(a32[1]);
 T(f37) EB num(f37((int8_t)B[i]));
 T(f38) num(f38(w));
 T(f39) num(f39(w, m)); num(w[0]); 
 T(f40) EL num(f40((int32_t)L[i], (int32_t)L[NL - 1 - i]));
 T(f41) EW num((long long)f41(W[i]));
 T(f42) EL num(f42((int32_t)L[i]));
 T(f43) EL { x = (int64_t)L[i] << 31; num(f43(&x)); }
 T(f44) EL { x = (int64_t)L[i] << 30; f44(&x); num(x); }
 T(f45) EW { for (int k = 0; k < 4; k++) w[k] = W[(i + k) % NW]; num(f45(w, 4)); }
 T(f46) num(f46(m, m)); num(f46(m, m + 1));
 T(f47) EBB { char a = (char)B[i], b = (char)B[j]; num(f47(&a, &b)); }
 T(f48) EBB { char a[2] = {(char)B[i], 0}, b[2] = {(char)B[j], 0}; num(f48(a, b)); }
 T(f49) EB { char a = (char)B[i]; num((uint8_t)f49(&a)); }
 T(f50) EB { char a = (char)B[i]; f50(&a); num((uint8_t)s50[1]); }
 T(f51) flag = 3; num(f51()); flag = 0; num(f51());
 T(f52) f52(emiti);
 put("\n");
}
