// Command cmd writes the matching code of a rule file: cmd RULES OUT.
package main

import (
	"fmt"
	"os"

	"github.com/firmproof/firmproof/verifier/rewrite/rulegen"
)

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func run(rules, out string) error {
	text, err := os.ReadFile(rules)
	if err != nil {
		return err
	}
	parsed, err := rulegen.Parse(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", rules, err)
	}
	code, err := rulegen.Generate(parsed)
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", rules, err, code)
	}
	return os.WriteFile(out, code, 0o644)
}
