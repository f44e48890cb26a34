package verdict

// EachPos calls see with every place that r names, but the lines of its coverage and of the diagrams of proofs.
func (r *Result) EachPos(see func(*Pos)) {
	if r.At != nil {
		see(r.At)
	}
	r.Reason.eachPos(see)
	r.Vacuous.eachPos(see)
	eachLoop(r.Bounds.Loops, see)
	if r.Coverage != nil {
		for i := range r.Coverage.Functions {
			see(&r.Coverage.Functions[i].Pos)
		}
	}
	lists := [][]Claim{r.Claims}
	if r.Change != nil {
		lists = append(lists, r.Change.New, r.Change.Mended)
		if r.Change.Behaviour != nil {
			r.Change.Behaviour.EachPos(see)
		}
	}
	for _, list := range lists {
		for i := range list {
			list[i].eachPos(see)
		}
	}
}

// EachPos calls see with every place that c names.
func (c *Comparison) EachPos(see func(*Pos)) {
	see(&c.Pos)
	c.Reason.eachPos(see)
	for i := range c.Differences {
		d := &c.Differences[i]
		see(&d.Pos)
		eachRun(d.Trace, d.Inputs, see)
	}
	for i := range c.Excused {
		see(&c.Excused[i].Pos)
	}
	eachLoop(c.Bounds.Loops, see)
}

func (c *Claim) eachPos(see func(*Pos)) {
	see(&c.Pos)
	if c.Inside != nil {
		see(c.Inside)
	}
	c.Reason.eachPos(see)
	eachRun(c.Trace, c.Inputs, see)
	if c.Certificate != nil {
		for i := range c.Certificate.Always {
			see(&c.Certificate.Always[i].Pos)
		}
	}
}

func (r *Reason) eachPos(see func(*Pos)) {
	if r != nil && r.Pos != nil {
		see(r.Pos)
	}
}

func eachRun(steps []Step, inputs []Input, see func(*Pos)) {
	for i := range steps {
		see(&steps[i].Pos)
	}
	for i := range inputs {
		see(&inputs[i].Pos)
	}
}

func eachLoop(loops []LoopBound, see func(*Pos)) {
	for i := range loops {
		see(&loops[i].Pos)
	}
}
