#pragma once
//
// How an attempt on one worker ends: the word in the column OUTCOME. An attempt that a failure ends
// may have the failure's reason there instead (RecordFailure). Plain values.

#include <array>
#include <string_view>

namespace fedra::placement {

enum class AttemptEnd {
  kFinished,   // the job has ended, successfully
  kFailed,     // the job has ended with a failure
  kDeleted,    // the job was deleted on the manager
  kLostRace,   // another worker admitted it first
  kTimedOut,   // not admitted, or not given its job, in time
  kWithdrawn,  // it is not meant for the worker any more
  kEvicted,    // its quota was taken back, on the manager or on the worker
  kRefused,    // the worker will not take it
  kRequeued,   // a later attempt began, and nothing else was seen of this one's end
};
inline constexpr std::array kAttemptEnds = {
    AttemptEnd::kFinished, AttemptEnd::kFailed,   AttemptEnd::kDeleted,
    AttemptEnd::kLostRace, AttemptEnd::kTimedOut, AttemptEnd::kWithdrawn,
    AttemptEnd::kEvicted,  AttemptEnd::kRefused,  AttemptEnd::kRequeued};

// "LostRace": as it is stored and shown.
constexpr std::string_view ToString(AttemptEnd end) {
  switch (end) {
    case AttemptEnd::kFinished:
      return "Finished";
    case AttemptEnd::kFailed:
      return "Failed";
    case AttemptEnd::kDeleted:
      return "Deleted";
    case AttemptEnd::kLostRace:
      return "LostRace";
    case AttemptEnd::kTimedOut:
      return "TimedOut";
    case AttemptEnd::kWithdrawn:
      return "Withdrawn";
    case AttemptEnd::kEvicted:
      return "Evicted";
    case AttemptEnd::kRefused:
      return "Refused";
    case AttemptEnd::kRequeued:
      return "Requeued";
  }
  return {};
}

}  // namespace fedra::placement
