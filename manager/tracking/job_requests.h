#pragma once
//
// What people ask of fedra about one job (`fedra retry`): annotations of its Workload on the
// manager. Every replica reads them there, and kubectl shows and writes them, too.
//
// They are of no use on a worker, so clones do not have them. Plain values and pure functions.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"

namespace fedra::tracking {

// An RFC 3339 time: what workers failed in before it does not count any more.
inline constexpr std::string_view kRetryAtAnnotation = "retry.fedra.dev/at";

struct JobRequests {
  std::optional<WallTime> retry_at;

  bool operator==(const JobRequests&) const = default;
};

// Null: nothing is asked for. What cannot be read is not.
std::shared_ptr<const JobRequests> ReadJobRequests(const nlohmann::json& metadata);

// The merge patch that asks for it, bound to the Workload of this UID.
std::string RetryPatch(const std::string& uid, WallTime at);

// Takes all of them out of the annotations of a clone.
void RemoveJobRequests(nlohmann::json& annotations);

}  // namespace fedra::tracking
