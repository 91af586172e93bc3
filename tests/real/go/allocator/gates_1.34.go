//go:build k134

package main

import (
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// The feature gates of 1.34 at their defaults. Device status is on since 1.33, which selects the
// experimental variant.
var features = structured.Features{
	AdminAccess:     true,
	PrioritizedList: true,
	DeviceStatus:    true,
}

var celFeatures = cel.Features{}

const consumableCapacity = false
