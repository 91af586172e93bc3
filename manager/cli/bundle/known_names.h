#pragma once
//
// The names that are in the reports of a support bundle, and pseudonyms in their place.
//
// Prose has no fields: a name is replaced wherever it is a word of its own, whatever it
// names there. "name-5f0c8a12be": a redacted snapshot has the same hash (snapshot_names.h), but for
// nodes, pools and slices. Thread rules: a plain value.

#include <string>
#include <string_view>
#include <unordered_set>

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/snapshots/snapshot_file.h"

namespace fedra::cli {

class KnownNames final {
 public:
  // A name that stays as it is, whatever else is called so: a worker's.
  void Keep(std::string_view name);
  void Add(const std::string& name);
  // Everything that RedactNames() would rename, of a snapshot that still has its names.
  void AddAll(const SnapshotFile& snapshot);
  // Of the reports that status and why print as JSON: namespaces, jobs, workloads, what they need,
  // and what reasons are about.
  void AddAll(const nlohmann::ordered_json& report);

  std::string Redacted(std::string_view text) const;

 private:
  void AddJob(const nlohmann::ordered_json& job);
  void AddObject(const nlohmann::ordered_json& object);
  void AddSubject(const std::string& object);

  std::unordered_set<std::string> kept_;
  std::unordered_set<std::string> names_;
};

}  // namespace fedra::cli
