// The etcd server, built from its own module: etcd keeps its main package in
// a module that cannot be depended on, so ours calls the same entry point.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
