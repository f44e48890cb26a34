package main

import "github.com/spf13/pflag"

// sourceFlags adds the flags that say how plain C files are preprocessed.
func sourceFlags(f *pflag.FlagSet, include, defines *[]string) {
	f.StringArrayVarP(include, "include", "I", nil, "include folder for plain C files")
	f.StringArrayVarP(defines, "define", "D", nil, "macro for plain C files")
}
