#pragma once
//
// Everything that can be written to the store, as values.
//
// A Put holds the whole row and replaces what was there; a Remove of a row that does not exist is
// fine. So every change may be repeated, and of two waiting changes of one row only the later one
// need be written (but see Supersede in apply.h).
//
// Thread rules: plain values.

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "store/rows.h"

namespace fedra::store {

struct PutCluster {
  ClusterRow row;
};
struct RemoveCluster {
  ClusterName name;
};

struct PutWorkload {
  WorkloadRow row;
};
// The workload is gone on the manager: it leaves every listing, its verdicts go, its row stays for
// the history (and its last state with it) until retention. A uid does not come back.
struct RemoveWorkload {
  std::string uid;
  WallTime at{};
};

struct PutPlacement {
  PlacementRow row;
};
struct RemovePlacement {
  std::string uid;
};

// Begins an attempt, or describes a whole one. Never reopens one that has ended.
struct PutAttempt {
  AttemptRow row;
};
// Ends what is open of these attempts. One that is not there, or has ended, stays as it is: the
// first end counts.
struct EndAttempts {
  struct End {
    int number = 0;
    ClusterName cluster;
    WallTime ended_at{};
    std::string outcome;
    std::string message;
  };
  std::string uid;
  std::vector<End> ends;
};
// What is still open of the attempts before `number` has ended, and fedra has not seen how.
struct EndEarlierAttempts {
  std::string uid;
  int number = 0;
  WallTime ended_at{};
  std::string outcome;
};

// What came of these two: an attempt that had no end before.
struct EndedAttempt {
  ClusterName cluster;
  std::string outcome;

  bool operator==(const EndedAttempt&) const = default;
};

// The attempts from `number` on never were: they were stored before a write that did not succeed.
struct RemoveLaterAttempts {
  std::string uid;
  int number = 0;
};

struct AddIntent {
  IntentRow row;
};
struct EndIntent {
  int64_t id = 0;
};

struct PutResidue {
  ResidueRow row;
};
struct RemoveResidue {
  ClusterName cluster;
  std::string uid;
};

// All verdicts of one workload: clusters that are not among the rows have none any more.
struct PutVerdicts {
  std::string uid;
  std::vector<VerdictRow> rows;
};

// All places of one workload; none: it is in no line.
struct PutPlaces {
  std::string uid;
  std::vector<PlaceRow> rows;
};

struct AddEvent {
  EventRow row;
};
struct SetHeartbeat {
  HeartbeatRow row;
};

// A type of its own, so that copying them is compiled once, in changes.cc.
class Change final
    : public std::variant<PutCluster, RemoveCluster, PutWorkload, RemoveWorkload, PutPlacement,
                          RemovePlacement, PutAttempt, EndAttempts, EndEarlierAttempts,
                          RemoveLaterAttempts, AddIntent, EndIntent, PutResidue, RemoveResidue,
                          PutVerdicts, PutPlaces, AddEvent, SetHeartbeat> {
 public:
  using Variant = variant;  // which has no virtual destructor: never deleted through it
  using variant::variant;
  Change(const Change& other);
  Change(Change&& other) noexcept;
  Change& operator=(const Change& other);
  Change& operator=(Change&& other) noexcept;
  ~Change();
};
// The moves above say noexcept.
static_assert(std::is_nothrow_move_constructible_v<Change::Variant> &&
              std::is_nothrow_move_assignable_v<Change::Variant>);

}  // namespace fedra::store
