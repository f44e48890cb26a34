// Command firmproof verifies embedded firmware: bounded model checking and
// termination analysis over LLVM IR, as a command-line tool and a GitHub App.
package main

func main() {}
