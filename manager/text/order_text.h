#pragma once
//
// In which order jobs get devices, for people: what `why` says of one job, and what `status` says
// of the manager's queues. Pure.

#include <string>

#include "manager/report/status_model.h"
#include "manager/text/view_settings.h"

namespace fedra::text {

// "Strict (annotation of ClusterQueue ml); its priority is 0; first in line on gpu-east is ml/big4
// (priority 1000, 4 pods, order Strict; gpu-east is kept for it)". Empty: it is in no line, and
// its priority is the usual one.
std::string OrderText(const report::WorkloadData& data,
                      const report::WorkloadData::Incarnation& incarnation);

// With line ends: which ClusterQueues of the manager admit nothing, or have an annotation
// fedra.dev/order that is ignored; and the order in force, where one has its own or `wide` is asked
// for.
std::string QueueLines(const report::StatusData& data, const ViewSettings& settings);

}  // namespace fedra::text
