static void all(void) {
 uint8_t m[24]; struct in s, d; struct out o; uint16_t w[4];
 T(f01) EB num(f01(B[i]));
 T(f02) EB { memset(&s, 0, sizeof s); memset(&d, 7, sizeof d); s.k = B[i]; s.w[0] = W[i]; s.s = (int8_t)B[i]; f02(&d, &s); num(d.k); num(d.w[0]); num(d.s); }
 T(f03) EB { memset(&o, 0, sizeof o); o.a.k = B[i]; o.a.w[0] = W[i]; o.a.w[1] = L[i % NL]; num(f03(&o)); }
 T(f04) num(f04());
 T(f05) f05(&d); num(d.k); num(d.w[2]);
 T(f06) num(f06(&d)); num(d.w[0]);
 T(f07) EB num(f07(B[i]));
 T(f08) EB num(f08(B[i]));
 T(f09) EW num(f09(W[i]));
 T(f10) EW num(f10(W[i], B[i % NB]));
 T(f11) EW num(f11(B[i % NB], W[i]));
 T(f12) EB num(f12(B[i]));
 T(f13) EB num(f13((char)B[i])); num(f13('a')); num(f13((char)0xe4));
 T(f14) EB { int8_t q[2] = {(int8_t)B[i], (int8_t)B[NB - 1 - i]}; num(f14(q)); }
 T(f15) EB num(f15(B[i]));
 T(f16) EB num(f16(B[i]));
 T(f17) EW num(f17((int16_t)W[i]));
 T(f18) EB { f18(B[i]); num(mode18); num(buf18[5]); }
 T(f19) EB num(f19(B[i]) - buf18);
 T(f20) EB num(f20(B[i]));
 T(f21) EW { f21(W[i]); num(buf18[4]); num(buf18[5]); }
 T(f22) EB { num(f22(0, B[i])); num(f22(1, B[i])); }
 T(f23) EB num(f23(B[i]));
 T(f24) EW num(f24((int16_t)W[i]));
 T(f25) EWW num(f25((int16_t)W[i], (int8_t)W[j]));
 T(f26) EWW num(f26((int16_t)W[i], (int16_t)W[j]));
 T(f27) EW { num(f27((int)(int16_t)W[i], (unsigned)W[NW - 1 - i])); }
 T(f28) EW num(f28((int16_t)W[i], W[NW - 1 - i]));
 T(f29) num(f29());
 T(f30) EW num(f30((int16_t)W[i]));
 T(f31) EW num(f31(B[i % NB], W[i]));
 T(f32) EW num(f32(B[i % NB], W[i]));
 T(f33) num(f33("on")); num(f33("o")); num(f33("off"));
 T(f34) num(f34("")); num(f34("ab")); num(f34("abcd"));
 T(f35) EL num(f35((int64_t)L[i] << 16));
 T(f36) EW { w[0] = W[i]; w[1] = 0; f36(w); num(w[0]); num(w[1]); }
 T(f37) EW { w[0] = W[i]; f37(w); num(w[0]); }
 T(f38) EW num(f38(W[i]));
 T(f39) EB num(f39(B[i]));
 T(f40) num(f40());
 T(f41) EW num(f41(W[i]));
 T(f42) EW num(f42(W[i]));
 T(f43) EL num(f43(L[i]));
 T(f44) num(f44());
 T(f45) EW num(f45(W[i]));
 T(f46) EW { f46(m, W[i]); num(m[0]); num(m[1]); }
 T(f47) EW { f47(m, W[i]); num(m[0]); num(m[1]); }
 T(f48) EB num(f48(B[i]));
 T(f49) EB num(f49(B[i]));
 T(f50) EW { memset(&s, 0, sizeof s); memset(&d, 0, sizeof d); s.w[1] = W[i]; d.w[1] = W[i % 3]; num(f50(&s, &d)); }
 put("\n");
}
