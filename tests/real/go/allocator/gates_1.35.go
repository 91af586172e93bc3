//go:build k135

package main

import (
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// The feature gates of 1.35 at their defaults.
var features = structured.Features{
	AdminAccess:     true,
	PrioritizedList: true,
}

var celFeatures = cel.Features{}

const consumableCapacity = false
