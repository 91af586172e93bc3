//go:build k134

// Package gates has the feature gates of each release at their defaults.
package gates

import (
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// The feature gates of 1.34 at their defaults. Device status is on since 1.33, which selects the
// experimental variant.
var Features = structured.Features{
	AdminAccess:     true,
	PrioritizedList: true,
	DeviceStatus:    true,
}

var CEL = cel.Features{}

const ConsumableCapacity = false

// No feature of 1.34 that is off by default is judged.
func WithAlpha(features structured.Features, celFeatures cel.Features) (structured.Features, cel.Features) {
	return features, celFeatures
}
