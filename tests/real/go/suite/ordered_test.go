package structured

import (
	"testing"

	"k8s.io/dynamic-resource-allocation/structured/internal/allocatortesting"
)

// The tests of releases that take pools in the order of their names, 1.36 and newer.
func TestFedraOrdered(t *testing.T) {
	runSuite(t, allocatortesting.TestLexicographicalAllocator)
}
