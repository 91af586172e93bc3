//go:build k137

// Package gates has the feature gates of each release at their defaults.
package gates

import (
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// The feature gates of 1.37 at their defaults. FractionalCapacityRange is on only with
// --min-compatibility-version=1.37 (kube_features.go:1493 of v1.37.2); by default that is 1.36.
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

// With the features that are off by default and show in objects.
func WithAlpha(features structured.Features, celFeatures cel.Features) (structured.Features, cel.Features) {
	features.ListTypeAttributes = true
	features.CompatibilityGroups = true
	features.DerivedAttributes = true
	features.OptionalNodeOperations = true
	celFeatures.EnableListTypeAttributes = true
	return features, celFeatures
}
