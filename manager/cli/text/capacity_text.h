#pragma once
//
// The queues, quota and devices of a cluster in a few characters. Pure.

#include <string>

#include "manager/verify/capacity.h"
#include "store/rows.h"

namespace fedra::cli {

// Of ClusterRow::capacity_json; empty when it cannot be read.
verify::Capacity CapacityOf(const store::ClusterRow& row);

// Each is "-" when nothing is known.
std::string QueuesText(const verify::Capacity& capacity);  // "2", or "1/2": one of two admits jobs
// "75%": of what is used most; `wide`: "gpu.example.com/gpu 6/8", of which queue when there are
// more.
std::string QuotaText(const verify::Capacity& capacity, bool wide);
std::string DevicesText(const verify::Capacity& capacity);  // "3/8": in use, of all

// Why this ClusterQueue admits nothing; empty: nothing is known against it.
std::string WhyStopped(const verify::Capacity& capacity, const std::string& cluster_queue);

}  // namespace fedra::cli
