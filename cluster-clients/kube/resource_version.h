#pragma once
//
// Which of two versions of an object is newer.
//
// Thread rules: pure functions.

#include "base/types.h"

namespace fedra::kube {

// Whether `a` is not older than `b`, both of one resource of one cluster. resourceVersions are
// decimal numbers that grow (Kubernetes 1.35 made that part of the API: KEP-5504, Comparable
// Resource Version). From a server that does otherwise every version counts as newer.
bool IsNotOlder(const ResourceVersion& a, const ResourceVersion& b);

}  // namespace fedra::kube
