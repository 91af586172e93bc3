#include "manager/tracking/kinds/job_kinds.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kinds/pod.h"
#include "manager/tracking/kinds/row_adapter.h"

namespace fedra::tracking {

JobKinds::JobKinds(std::vector<KindRow> added, bool pods) {
  all_.push_back(&BatchJobAdapter());
  const auto add = [this](KindRow row) {
    rows_.push_back(MakeRowAdapter(std::move(row)));
    all_.push_back(rows_.back().get());
  };
  if (pods) {
    all_.push_back(&PodAdapter());
    add(StatefulSetRow());
    // Behind StatefulSets, for it makes its pods by some.
    add(LeaderWorkerSetRow());
  }
  const auto is_replaced = [&](const KindRow& row) {
    return std::any_of(added.begin(), added.end(), [&](const KindRow& other) {
      return other.resource.group == row.resource.group && other.resource.kind == row.resource.kind;
    });
  };
  for (const KindRow& row : BuiltInRows())
    if (!is_replaced(row)) add(row);
  for (KindRow& row : added) add(std::move(row));
  // A JobSet's pods carry the label of the Job that it made of them, too: the job that a user knows
  // is asked for first.
  for (auto adapter = all_.rbegin(); adapter != all_.rend(); ++adapter) {
    if (PodLabel label = (*adapter)->pod_label(); !label.key.empty())
      labels_.push_back({std::move(label), *adapter});
  }
}

size_t JobKinds::IndexOf(const JobAdapter& adapter) const {
  const auto found = std::find(all_.begin(), all_.end(), &adapter);
  FEDRA_ASSERT(found != all_.end(), "the adapter is of this set of kinds");
  return static_cast<size_t>(found - all_.begin());
}

const JobAdapter* JobKinds::Find(std::string_view api_version, std::string_view kind) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const JobAdapter* adapter) {
    const kube::Resource& resource = adapter->resource();
    return resource.ApiVersion() == api_version &&
           (resource.kind == kind || (!kind.empty() && adapter->group_kind() == kind));
  });
  return found == all_.end() ? nullptr : *found;
}

const JobAdapter* JobKinds::FindName(std::string_view name) const {
  const JobAdapter* by_kind = nullptr;
  int of_kind = 0;
  for (const JobAdapter* adapter : all_) {
    if (adapter->name() == name || (!name.empty() && adapter->group_kind() == name)) return adapter;
    if (adapter->resource().kind != name) continue;
    by_kind = adapter;
    ++of_kind;
  }
  return of_kind == 1 ? by_kind : nullptr;
}

JobKey JobKinds::PodsKeyOf(const JobKey& job) const {
  const JobAdapter* adapter = FindName(job.kind);
  const bool is_group = adapter != nullptr && adapter->group_kind() == job.kind;
  return adapter == nullptr || is_group ? job : JobKey{adapter->pods_kind(), job.key};
}

namespace {

// "serve" of "serve-12"; empty: it is no such name.
std::string WithoutOrdinal(std::string name) {
  const size_t dash = name.find_last_not_of("0123456789");
  if (dash == std::string::npos || dash + 1 == name.size() || name[dash] != '-') return {};
  name.resize(dash);
  return name;
}

}  // namespace

std::optional<JobKey> JobKinds::JobOfPod(const nlohmann::json& pod_metadata) const {
  const nlohmann::json& labels = Member(pod_metadata, "labels");
  if (!labels.is_object()) return std::nullopt;
  for (const auto& [label, adapter] : labels_) {
    std::string name = Text(labels, label.key);
    if (name.empty()) continue;
    if (!label.also_key.empty() && Text(labels, label.also_key) != label.also_value) continue;
    if (label.is_the_job) {
      if (std::string group = PodGroupOf(pod_metadata); !group.empty())
        return JobKey{std::string(adapter->group_kind()),
                      {Text(pod_metadata, "namespace"), std::move(group)}};
      name = Text(pod_metadata, "name");
    }
    if (label.names_the_pod) {
      name = WithoutOrdinal(std::move(name));
      if (name.empty()) continue;
    }
    return JobKey{adapter->name(), {Text(pod_metadata, "namespace"), std::move(name)}};
  }
  return std::nullopt;
}

const JobKindsPtr& BuiltInKinds() {
  static const JobKindsPtr kinds = std::make_shared<const JobKinds>();
  return kinds;
}

const JobKindsPtr& BuiltInKindsAndPods() {
  static const JobKindsPtr kinds =
      std::make_shared<const JobKinds>(std::vector<KindRow>(), /*pods=*/true);
  return kinds;
}

}  // namespace fedra::tracking
