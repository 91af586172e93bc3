#pragma once
//
// The kinds of jobs that this fedra runs: batch/v1 Job, pods, StatefulSets and LeaderWorkerSets
// where the configuration has them, the rows of the table, and the rows that an administrator has
// added.
//
// Thread rules: immutable.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/tracking/job.h"
#include "manager/tracking/kinds/kind_row.h"

namespace fedra::tracking {

class JobKinds final {
 public:
  // An added row takes the place of the table's row of its group and kind. `pods`: with Pod,
  // StatefulSet and LeaderWorkerSet.
  explicit JobKinds(std::vector<KindRow> added = {}, bool pods = false);

  // In a fixed order, batch/v1 Job first. They live as long as this.
  const std::vector<const JobAdapter*>& all() const { return all_; }
  size_t IndexOf(const JobAdapter& adapter) const;

  // By a Workload's owner, or by what a manifest says; null when fedra does not run such. A group
  // of objects is of their kind.
  const JobAdapter* Find(std::string_view api_version, std::string_view kind) const;
  // By JobAdapter::name() or group_kind(), or by the kind alone where that is unambiguous.
  const JobAdapter* FindName(std::string_view name) const;

  // As which job JobOfPod() tells the pods of this one.
  JobKey PodsKeyOf(const JobKey& job) const;
  // Whose pod it is, by the labels in its metadata; absent: of none of these kinds.
  std::optional<JobKey> JobOfPod(const nlohmann::json& pod_metadata) const;

 private:
  struct Labelled {
    PodLabel label;
    const JobAdapter* adapter = nullptr;
  };

  std::vector<std::unique_ptr<const JobAdapter>> rows_;
  std::vector<const JobAdapter*> all_;
  std::vector<Labelled> labels_;  // the kinds that make Jobs of their own before Job
};

using JobKindsPtr = std::shared_ptr<const JobKinds>;

// Without pods and added rows; one for the process.
const JobKindsPtr& BuiltInKinds();
// The same with pods.
const JobKindsPtr& BuiltInKindsAndPods();

}  // namespace fedra::tracking
