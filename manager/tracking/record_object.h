#pragma once
//
// PlacementRecord (fedra.dev/v1alpha1, deploy/placement-records.yaml): what a replica that takes
// over must know of one Workload of the manager and no other object says. It has the Workload's
// name and namespace, and the Workload owns it, so that it goes with it.
//
// Any user who may write PlacementRecords in a namespace may have written it: what is read is
// bounded, and says no more than that a worker of this name had bad luck. Plain values and pure
// functions.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "base/types.h"
#include "manager/tracking/workload.h"

namespace fedra::tracking {

// The schema's bounds. Of a longer list the oldest failures are left out, of a longer text the end.
inline constexpr size_t kMaxRecordedFailures = 20;
inline constexpr size_t kMaxRecordedMessage = 1024;
inline constexpr size_t kMaxRecordedReason = 64;
inline constexpr int kMaxRecordedTimes = 100;
inline constexpr int kMaxRecordedAttempt = 100'000;

// A worker that did not keep the workload.
struct RecordedFailure {
  ClusterName worker;
  std::string reason;    // a code of the reason catalogue, perhaps of another version
  std::string message;   // for people
  WallTime at{};         // the last time
  bool refused = false;  // it refused a write, and would again
  int times = 1;         // that it failed the workload so far, with this one
};

struct Recorded {
  int attempt = 0;                        // number of the last attempt, from 1; 0: none yet
  std::optional<WallTime> attempt_time;   // when it began; null: it has ended
  std::vector<RecordedFailure> failures;  // oldest first, one for each worker
};

struct RecordObject {
  ObjectKey key;  // the Workload's, too
  std::string uid;
  ResourceVersion version;
  bool deleting = false;
  std::string workload_uid;  // of the Workload that owns it; empty: none does
  Recorded recorded;
};

// kBadResponse when it has no name. What is in it and cannot be read is left out.
Result<RecordObject> ParseRecordObject(const nlohmann::json& object);

// Whether the two would be written alike.
bool IsSameRecord(const Recorded& a, const Recorded& b);

// The object that is created, and the merge patch that makes `before` say `recorded`, of
// `workload`, bound to the version of `before`.
std::string RecordBody(const Workload& workload, const Recorded& recorded);
std::string RecordPatch(const RecordObject& before, const Workload& workload,
                        const Recorded& recorded);

}  // namespace fedra::tracking
