#pragma once
//
// How much of a resource a worker may send (watch::ListBounds).
//
// Pure.

#include "cluster-clients/kube/resource.h"
#include "cluster-clients/watch/list_bounds.h"
#include "manager/tracking/resources.h"

namespace fedra::verify {

// The largest clusters that Kubernetes is tested with have 5,000 nodes.
inline watch::ListBounds BoundsOf(const kube::Resource& resource) {
  watch::ListBounds bounds;
  // Of a pod of 10 kB we keep a few hundred bytes, so what counts is how many there are.
  if (resource.plural == tracking::kPods.plural) bounds.bytes = size_t{4} << 30;
  if (resource.plural == tracking::kNodes.plural) bounds.objects = 20'000;
  if (resource.plural == tracking::kResourceSlices.plural) bounds.objects = 50'000;
  if (resource.plural == tracking::kDeviceClasses.plural) bounds.objects = 10'000;
  return bounds;
}

}  // namespace fedra::verify
