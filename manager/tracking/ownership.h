#pragma once
//
// Whose is an object on a worker? The one place that decides it: fedra changes and deletes only
// what is its own, whatever else it finds under the names it uses.
//
// A copy carries three marks: the origin label, the UID of the management cluster, and the UID of
// the manager's object that it stands for. A copy without the second one was made by a fedra that
// may not read its own cluster's UID.
//
// Kueue's MultiKueue marks its copies with the origin label alone (cloneForCreate of
// pkg/controller/admissionchecks/multikueue/workload.go and SetMultiKueueMeta of
// pkg/controller/jobframework/utils.go, 0.19.2), and takes every copy with its label for its own.
// In kueue.mode dispatcher fedra changes none of them. In mode multikueue it takes them over: then
// an unmarked copy is known by the name of its Workload, which differs with the UID of the job that
// it is made for. Two managers of one origin would remove each other's copies there, as two Kueues
// would.
//
// Pure functions on plain values.

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json_fwd.hpp>

namespace fedra::tracking {

// How fedra joins Kueue (kueue.mode), which says whose the copies with our origin are.
enum class Mode {
  kAdmissionCheck,  // ours are those with our marks
  kMultiKueue,      // `origin` is Kueue's: unmarked copies are ours, too
  kDispatcher,      // `origin` is Kueue's, and so are the copies
};

// Kueue makes the copies, and changes them.
constexpr bool KueueCopies(Mode mode) { return mode == Mode::kDispatcher; }
// We are in the place of Kueue's MultiKueue: what it made is ours.
constexpr bool TakesOver(Mode mode) { return mode == Mode::kMultiKueue; }

// "admissionCheck", "multikueue", "dispatcher", as the configuration has them.
std::string_view ToString(Mode mode);
std::optional<Mode> ParseMode(std::string_view word);

// Who we are, as it is written on every copy of ours. wiring.h makes it, ToIdentity(); what is
// kept in settings does not know the manager yet (reconcile/manager_identity.h). The mode is here
// for OwnershipOf alone: what else follows from it is asked of settings that carry it.
struct Identity {
  std::string origin = {};  // value of the origin label, from the configuration
  std::string manager =
      {};  // UID of the management cluster (kube-system's); empty: may not be read
  Mode mode = Mode::kAdmissionCheck;

  bool operator==(const Identity&) const = default;
  Identity OnManager(std::string uid) const { return {origin, std::move(uid), mode}; }
};

// The marks of one object, as it was read; all empty on an object that no fedra made.
struct CopyMarks {
  std::string origin;   // value of the origin label
  std::string made_by;  // UID of the management cluster; empty: the copy does not say
  // UID of the manager's object: of the Workload for its clone and its job, of the
  // ResourceClaimTemplate for a copy of it.
  std::string source_uid;
  std::string workload;  // the name of the Workload that a job says it is of; empty on others

  auto operator<=>(const CopyMarks&) const = default;
};

enum class Ownership {
  kForeign,       // no fedra with our origin made it
  kOtherManager,  // a fedra with our origin made it for another management cluster, or may have
  kOursEarlier,   // ours, for an object of the manager that is gone or was replaced
  kOurs,          // ours, for the object of the manager that is there now
};

// `source_uid`: the UID of the manager's object of that name; empty: there is none. Without
// Identity::manager a copy that names its maker is ours only by the UID of a living object, which
// no other cluster can have. `source_name`: of a Workload; an unmarked job that names another one
// is of an earlier Workload.
Ownership OwnershipOf(const CopyMarks& marks, const Identity& us, std::string_view source_uid,
                      std::string_view source_name = {});

// Whether we may change or delete it; with the mode kDispatcher Kueue may, and fedra writes nothing
// on workers.
inline bool IsOurs(Ownership ownership) { return ownership >= Ownership::kOursEarlier; }

// Whether some manager made it, whichever, fedra's or Kueue's.
inline bool IsCopy(const CopyMarks& marks) { return !marks.origin.empty(); }

// Whether it is a copy, and of none of these managers (UIDs). One that does not say who made it is
// of none.
bool IsCopyOfNoneOf(std::span<const std::string> managers, const CopyMarks& marks);

// "foreign", "otherManager", "oursEarlier", "ours"; for logs and tests.
std::string_view ToString(Ownership ownership);

// The marks in an object's metadata: on clones and jobs, and on copies of templates.
CopyMarks ReadCopyMarks(const nlohmann::json& metadata);
CopyMarks ReadTemplateMarks(const nlohmann::json& metadata);

}  // namespace fedra::tracking
