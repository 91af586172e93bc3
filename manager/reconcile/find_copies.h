#pragma once
//
// What of a workload is on a worker, whose it is, and what is in its way there.
//
// Thread rules: any thread. Reads the caches, each object once: the clusters go on meanwhile, and
// what is decided is to hold for one moment of each.

#include <memory>
#include <vector>

#include "manager/placement/view.h"
#include "manager/reconcile/copy_source.h"
#include "manager/reconcile/gather.h"
#include "manager/tracking/ownership.h"

namespace fedra::reconcile {

// Sets what `gathered` knows of the other Workloads of a slice's job, by which other_slice goes.
// The workload itself counts as it was looked at, whatever has become of it since.
void TakeSlices(placement::Slices slices, Gathered& gathered);

// Sets of `cluster` its name, the copies and whose they are. `gathered`: what the manager shows of
// the workload.
void FindCopies(const CopySource& source, const Gathered& gathered, const tracking::Identity& us,
                placement::ClusterView& cluster);

}  // namespace fedra::reconcile
