// Command k6 is the load engine that crewload starts, built from the module pinned in go.mod.
package main

import (
	"go.k6.io/k6/v2/cmd"
	// An extension is one more blank import here; see README.md.
)

func main() {
	cmd.Execute()
}
