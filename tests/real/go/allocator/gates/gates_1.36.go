//go:build k136

// Package gates has the feature gates of each release at their defaults.
package gates

import (
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// The feature gates of 1.36 at their defaults.
var Features = structured.Features{
	AdminAccess:            true,
	PrioritizedList:        true,
	PartitionableDevices:   true,
	DeviceTaints:           true,
	DeviceBindingAndStatus: true,
	ConsumableCapacity:     true,
}

var CEL = cel.Features{EnableConsumableCapacity: true}

const ConsumableCapacity = true

// No feature of 1.36 that is off by default is judged.
func WithAlpha(features structured.Features, celFeatures cel.Features) (structured.Features, cel.Features) {
	return features, celFeatures
}
