#include "shim.h"

#include <atomic>
#include <cadical.hpp>
#include <cstdio>

// fp_cadical is a solver, the switch that ends it, the count of its conflicts (it hands
// over each clause that it learns: one for each) and the file of its proof.
struct fp_cadical : CaDiCaL::Terminator, CaDiCaL::Learner {
	CaDiCaL::Solver solver;
	std::atomic<int> stop{0};
	long learnt = 0;
	FILE *proof = nullptr;

	bool terminate() override { return stop.load(std::memory_order_relaxed); }
	bool learning(int) override { learnt++; return false; }
	void learn(int) override {}
};

extern "C" {

fp_cadical *fp_new(void) {
	fp_cadical *c = new fp_cadical;
	c->solver.connect_terminator(c);
	c->solver.connect_learner(c);
	return c;
}

void fp_free(fp_cadical *c) {
	if (c->proof) c->solver.close_proof_trace();
	c->solver.disconnect_terminator();
	c->solver.disconnect_learner();
	FILE *proof = c->proof;
	delete c;
	if (proof) fclose(proof);
}

int fp_prove(fp_cadical *c, const char *path) {
	c->proof = fopen(path, "w");
	if (!c->proof) return 0;
	c->solver.set("binary", 0);
	return c->solver.trace_proof(c->proof, path);
}

void fp_option(fp_cadical *c, const char *name, int value) { c->solver.set(name, value); }

void fp_limit(fp_cadical *c, const char *name, int value) { c->solver.limit(name, value); }

void fp_add(fp_cadical *c, const int *lits, long n) {
	for (long i = 0; c->proof && i < n; i++) {
		if (i == 0 || lits[i - 1] == 0) fputs("i ", c->proof);
		fprintf(c->proof, lits[i] ? "%d " : "%d\n", lits[i]);
	}
	for (long i = 0; i < n; i++) c->solver.add(lits[i]);
}

int fp_solve(fp_cadical *c, const int *assumptions, long n) {
	for (long i = 0; i < n; i++) c->solver.assume(assumptions[i]);
	int r = c->solver.solve();
	if (c->proof && r == 20) {
		c->solver.flush_proof_trace();
		fputs("u ", c->proof);
		for (long i = 0; i < n; i++)
			if (c->solver.failed(assumptions[i])) fprintf(c->proof, "%d ", -assumptions[i]);
		fputs("0\n", c->proof);
	}
	return r;
}

int fp_val(fp_cadical *c, int lit) { return c->solver.val(lit); }

int fp_failed(fp_cadical *c, int lit) { return c->solver.failed(lit); }

long fp_conflicts(fp_cadical *c) { return c->learnt; }

void fp_stop(fp_cadical *c, int stop) { c->stop.store(stop, std::memory_order_relaxed); }
}
