#pragma once
//
// What a worker can, as far as its API server's discovery, the lists that are watched there and the
// configuration say so: for people. It decides nothing: verdicts look at the same things
// themselves.
//
// Pure functions on plain values; CapabilitiesOf() from any thread.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cluster-clients/kube/discovery.h"
#include "manager/verify/worker_objects.h"

namespace fedra::verify {

struct WorkerCapabilities {
  std::vector<std::string> job_kinds;  // that this fedra runs, and whose API is served there
  std::vector<std::string> job_kinds_missing;  // that this fedra runs, and whose API is not
  // Of kueue.x-k8s.io, the preferred one first; empty: the group is not served.
  std::vector<std::string> kueue_versions;
  // Of resource.k8s.io: the preferred one first, and those that fedra cannot read, too. Empty: the
  // group is not served, and nothing else is said of DRA.
  std::vector<std::string> dra_versions;
  std::string dra_release;                // "1.36": by whose rules devices are judged
  std::vector<std::string> dra_features;  // gates that it is taken to have on; docs/releases.md
  // Resources of which it has refused fedra the list or the watch (403), by name.
  std::vector<std::string> missing_rights;
  std::vector<std::string> declared;  // by the configuration: what no API shows

  bool operator==(const WorkerCapabilities&) const = default;
};

WorkerCapabilities CapabilitiesOf(const WorkerObjects& objects, const kube::ServerInfo& server,
                                  std::vector<std::string> declared = {});

// {"jobKinds": [...], "jobKindsMissing": [...], "kueueVersions": [...], "dra": {"versions": [...],
// "release": "1.36", "features": [...]}, "missingRights": [...], "declared": [...]}.
nlohmann::ordered_json ToJson(const WorkerCapabilities& capabilities);
// The same as text, for the store.
std::string ToJsonText(const WorkerCapabilities& capabilities);
// Null: nothing is known ("{}"), or it is no such text.
std::optional<WorkerCapabilities> ParseCapabilities(const std::string& text);

}  // namespace fedra::verify
