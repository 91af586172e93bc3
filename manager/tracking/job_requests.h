#pragma once
//
// What people ask of fedra about one job (`fedra retry`, `fedra move`): annotations of its Workload
// on the manager. Every replica reads them there, and kubectl shows and writes them, too.
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

// An RFC 3339 time: the job is wanted on another worker since then. The worker that it was on then;
// absent: whichever it is on. The worker that it is wanted on; absent: any other one.
inline constexpr std::string_view kMoveAtAnnotation = "move.fedra.dev/at";
inline constexpr std::string_view kMoveFromAnnotation = "move.fedra.dev/from";
inline constexpr std::string_view kMoveToAnnotation = "move.fedra.dev/to";

struct MoveRequest {
  WallTime at{};
  std::string from = {};  // empty: whichever has it
  std::string to = {};    // empty: any other one

  bool operator==(const MoveRequest&) const = default;
};

struct JobRequests {
  std::optional<WallTime> retry_at;
  std::optional<MoveRequest> move;

  bool operator==(const JobRequests&) const = default;
};

// Null: nothing is asked for. What cannot be read is not.
std::shared_ptr<const JobRequests> ReadJobRequests(const nlohmann::json& metadata);

// The merge patches that ask for it, bound to the Workload of this UID.
std::string RetryPatch(const std::string& uid, WallTime at);
std::string MovePatch(const std::string& uid, const MoveRequest& move);

// Takes all of them out of the annotations of a clone.
void RemoveJobRequests(nlohmann::json& annotations);

}  // namespace fedra::tracking
