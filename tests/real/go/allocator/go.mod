// The releases have module files of their own, k8s-1.NN.mod: go build -modfile=k8s-1.36.mod -tags=k136.
module fedra.dev/fedra/tests/real/go/allocator

go 1.26.0
