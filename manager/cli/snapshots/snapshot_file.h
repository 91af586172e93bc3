#pragma once
//
// The snapshot file: what decides placement on some workers at one moment, to be judged elsewhere.
//
//   apiVersion: fedra.dev/v1alpha1, kind: Snapshot, one JSON document
//
// New members may come within an apiVersion. A file that lacks one was written before it was known:
// what that means stands beside the member here, and each version reads all older files.
//
// A file is untrusted input: whatever it contains, the result is a well-formed value or an Error
// that names the place. Objects are what is left of the API servers' objects by
// snapshot_reduce.h; its readers find out whether one makes sense.
//
// Thread rules: plain values and pure functions.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "cluster-clients/connection_state.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/cli/judged/fleet_worker.h"

namespace fedra::cli {

// One resource of a worker, or why it could not be read.
struct RecordedResource {
  // "resourceslices.resource.k8s.io", "pods"; of objects of a resource that are told by their
  // labels "pods?kueue.x-k8s.io/multikueue-origin": as RecordedName() says. A file without it holds
  // no copies of pods.
  std::string name;
  watch::CacheHealth health;
  std::vector<nlohmann::json> items;
};

std::string RecordedName(const kube::Resource& resource, const std::string& labels);

struct RecordedWorker {
  FleetWorkerSettings settings;  // `us` is the snapshot's
  ConnectionState connection;
  std::string kubernetes_version;          // "v1.36.3"; empty: never connected
  std::vector<std::string> dra_versions;   // served versions of resource.k8s.io, preferred first
  std::vector<std::string> dra_resources;  // served below it: "v1beta2/devicetaintrules"
  std::vector<std::string> scheduling_resources;  // and below scheduling.k8s.io
  std::vector<RecordedResource> resources;
};

struct SnapshotFile {
  WallTime taken_at{};
  std::string fedra_version;  // that wrote it
  // Whose copies are ours there; without the manager's UID. A file without a mode is of a fedra
  // that wrote none: admissionCheck.
  tracking::Identity us;
  std::optional<std::string> manager_uid;  // as of ManagerFacts
  bool redacted = false;                   // names are pseudonyms (snapshot_names.h)
  // The manager's ResourceClaimTemplates; absent: they were not known.
  std::optional<RecordedResource> manager_templates;
  std::vector<RecordedWorker> workers;
};

// Larger files are refused: kTooLarge.
inline constexpr size_t kMaxSnapshotBytes = size_t{512} << 20;

std::string ToText(const SnapshotFile& file);
// kInvalidArgument: "workers[2].resources[0].state: ...".
Result<SnapshotFile> ParseSnapshot(std::string_view text);

// The manager's templates as a cache; null: they were not known.
std::unique_ptr<verify::Cache<verify::ClaimSummary>> ManagerTemplatesOf(const SnapshotFile& file);

// Tells the worker everything that was recorded. Returns what could not be read, one line each, at
// most kMaxComplaints; a complaint is never a reason to give up: online such an object is left out,
// too.
inline constexpr size_t kMaxComplaints = 20;
std::vector<std::string> FeedRecorded(const RecordedWorker& recorded, FleetWorker& worker);

}  // namespace fedra::cli
