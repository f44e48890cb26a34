static void all(void) {
 uint8_t m[8]; struct r13 r; uint16_t w[4];
 T(f01) EBB num(f01(B[i], B[j]));
 T(f02) EB num(f02((char)B[i]));
 T(f03) EB { char s[2] = {(char)B[i], 0}; num(f03(s)); }
 T(f04) EB num((uint8_t)f04((char)B[i]));
 T(f05) EWW num(f05(W[i], W[j]));
 T(f06) EBB if (B[i] * (long)B[j] < 32768) num(f06(B[i], B[j]));
 T(f07) EB num(f07(B[i]));
 T(f08) EB num(f08(B[i]));
 T(f09) EW num(f09(W[i]));
 T(f10) EWW num(f10(W[i], W[j]));
 T(f11) EWW num(f11(W[i], W[j]));
 T(f12) EWW num(f12(W[i], W[j]));
 T(f13) EB EL { r.tag = B[i]; r.len = L[i]; r.sum = W[i]; num(f13(&r)); num(r.sum); }
 T(f14) EL { r.len = L[i]; num(f14(&r)); }
 T(f15) num(f15());
 T(f16) EL { for (int k = 0; k < 4; k++) m[k] = L[i] >> 8 * k; num(f16(m)); }
 T(f17) EL { for (int k = 0; k < 4; k++) m[k] = L[i] >> 8 * k; num(f17(m)); }
 T(f18) EL { f18(m, L[i]); for (int k = 0; k < 4; k++) num(m[k]); }
 T(f19) EL { f19(m, L[i]); for (int k = 0; k < 4; k++) num(m[k]); }
 T(f20) EW num(f20(W[i]));
 T(f21) EW num(f21(W[i]));
 T(f22) EB num(f22(B[i]));
 T(f23) EB num(f23(B[i]));
 T(f24) EB num(f24(B[i]));
 T(f25) EL num((long long)f25(L[i]));
 T(f26) EL num(f26(L[i]));
 T(f27) EW num((long long)f27(W[i]));
 T(f28) EW num((long long)f28(W[i]));
 T(f29) EBB num(f29(B[i] & 7, B[j] & 31));
 T(f30) EBB num(f30(B[i] & 7, B[j] & 31));
 T(f31) EB if (B[i] < 8) num(f31(m, B[i]));
 T(f32) EB { char s[2] = {(char)B[i], 0}; num(f32(s)); }
 T(f33) EWW num(f33(W[i], W[j]));
 T(f34) EB num(f34(B[i]));
 T(f35) EB { level35 = 5; f35((int8_t)B[i]); num(level35); }
 T(f36) EWW num(f36((int16_t)W[i], (int16_t)W[j]));
 T(f37) EWW num(f37(W[i], W[j]));
 T(f38) EB num(f38(B[i]));
 T(f39) EW num(f39(W[i]));
 T(f40) EB num(f40((char)B[i]));
 T(f41) EB num(f41((char)B[i]));
 T(f42) EL num((long long)f42(L[i], L[NL - 1 - i]));
 T(f43) EB { for (int k = 0; k < 8; k++) m[k] = B[i] + k; num(f43(m, i & 7)); }
 T(f44) EW { for (int k = 0; k < 4; k++) w[k] = W[i]; num(f44(w, i & 3)); }
 T(f48) m[0] = 0; f48(m); num(m[0]);
 T(f49) EL { f49(w, L[i]); num(w[0]); num(w[1]); }
 T(f50) EL { f50(w, L[i]); num(w[0]); num(w[1]); }
#ifndef BARE
 T(f45) EB num(f45((float)B[i] * 1.5f));
 T(f46) EL num(f46(L[i], 1.0f));
 T(f47) EL num(f47(L[i]));
#endif
 put("\n");
}
