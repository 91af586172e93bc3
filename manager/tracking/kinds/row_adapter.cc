#include "manager/tracking/kinds/row_adapter.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "manager/tracking/elastic.h"
#include "manager/tracking/job_fields.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kinds/field_path.h"
#include "manager/tracking/kinds/row_rules.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

// Kueue sees no activity in a condition that is False, whatever its reason.
void ClearConditions(const std::vector<std::string>& types, const json& known, json& status) {
  if (types.empty() || !known.contains("conditions")) return;
  json conditions = known["conditions"];
  for (json& condition : conditions) {
    if (std::find(types.begin(), types.end(), Text(condition, "type")) == types.end()) continue;
    condition["status"] = "False";
    condition["reason"] = "Evicted";
  }
  status["conditions"] = std::move(conditions);
}

// In place of the names that Kueue refuses, and of the queue that the copy gets later.
void NameWorkload(const std::string& workload, json& metadata) {
  metadata["annotations"].erase(std::string(kPrebuiltWorkload));
  metadata["labels"].erase(std::string(kPrebuiltWorkload));
  metadata["annotations"][std::string(kWorkloadAnnotation)] = workload;
  metadata["labels"].erase(std::string(kQueueNameLabel));
}

// Of pods whose Workload does not show it.
std::shared_ptr<const Requirement> WhatPodsAsk(const std::vector<PodTemplate>& templates) {
  Requirement asks;
  if (auto read = ReadPods(templates, asks); !read) asks.unreadable = read.error().message;
  return std::make_shared<const Requirement>(std::move(asks));
}

// Up to where it may be several places.
std::string PlainPart(const FieldPath& path) {
  return path.text().substr(0, path.text().find('['));
}

class RowAdapter final : public JobAdapter {
 public:
  explicit RowAdapter(KindRow row)
      : JobAdapter(row.resource), row_(std::move(row)), essential_(EssentialStatusOf(row_)) {}

  Result<Job> Parse(const json& object) const override {
    FEDRA_ASSIGN_OR_RETURN(Job job, ReadJobMetadata(object, *this));
    const bool says_who = !row_.managed_by.empty();
    if (says_who || (job.queued && !IsCopy(job.marks))) job.managed_by = ManagedBy(object);
    if (!row_.suspend.path.empty()) {
      FEDRA_ASSIGN_OR_RETURN(job.suspended, IsSuspended(row_.suspend, object));
    }
    job.stopped = IsCopy(job.marks) && Holds(row_.stopped, object);
    job.failed = !job.stopped && Holds(row_.failed, object);
    job.finished = job.failed || (!job.stopped && Holds(row_.succeeded, object));
    job.active_pods = SumOf(row_.active, object);
    if (!row_.parts.empty()) {
      FEDRA_ASSIGN_OR_RETURN(job.parts, NumberAt(object, row_.parts, 1));
    }
    if (row_.readiness && IsCopy(job.marks)) {
      FEDRA_ASSIGN_OR_RETURN(const int ready, NumberAt(object, row_.readiness->ready, 0));
      FEDRA_ASSIGN_OR_RETURN(const int wanted, NumberAt(object, row_.readiness->wanted, 1));
      job.readiness = fmt::format("{} of {} replicas ready", ready, wanted);
    }
    for (const FieldPath& path : row_.followed)
      job.followed = Hash64(Dump(FindFirst(object, path)), job.followed);
    if (IsElastic(Member(object, "metadata")))
      ReadSize(PodTemplates(object), SizesOf(row_.scaled, object), job);
    job.shows_activity = HoldsAny(row_.active, object);
    if (auto never = WhyNever(object)) job.never = std::move(never->why);
    KeepText(object, job);
    if (job.managed_by == kManagedBy) {
      job.references = References(object, job.key.ns);
      if (row_.hides_pods) job.asks = WhatPodsAsk(PodTemplates(object));
    }
    return job;
  }

  std::string ManagedBy(const json& object) const override {
    if (row_.managed_by.empty()) return std::string(kManagedBy);  // it needs no such field
    const json& name = FindFirst(object, row_.managed_by);
    return name.is_string() ? name.get<std::string>() : std::string();
  }

  std::string managed_by_path() const override { return row_.managed_by.text(); }

  std::string own_controller() const override { return row_.own_controller; }

  std::optional<Never> WhyNever(const json& object) const override {
    for (const NeverRule& rule : row_.never)
      if (Holds(rule.when, object)) return Never{PlainPart(rule.when.path), rule.why};
    return std::nullopt;
  }

  std::vector<PodTemplate> PodTemplates(const json& object) const override {
    return row_.pod_templates != nullptr ? row_.pod_templates(object)
                                         : PodTemplatesOf(row_.pod_sets, object);
  }

  std::vector<PodTemplate> CountedPods(const json& object) const override {
    return row_.counted_pods == nullptr ? std::vector<PodTemplate>() : row_.counted_pods(object);
  }

  PodLabel pod_label() const override { return row_.pod_label; }
  bool HoldsCheck() const override { return row_.holds_check; }
  Adoption adoption() const override { return row_.adoption; }
  bool MirrorsStatus() const override { return row_.mirror != Mirror::kNone; }
  std::string labels_on_manager() const override {
    return row_.only_queued ? std::string(kQueueNameLabel) : std::string();
  }
  std::string labels_on_worker() const override {
    return row_.only_queued ? std::string(kOriginLabel) : std::string();
  }

  const std::string& pods_kind() const override {
    return row_.pods_of.empty() ? name() : row_.pods_of;
  }

  std::vector<kube::Resource> ReferencedResources() const override {
    std::vector<kube::Resource> resources;
    for (const ReferenceRule& rule : row_.references) resources.push_back(rule.resource);
    return resources;
  }

  std::vector<PodTemplate> ReferencedPods(const json& object, json& spec) const override {
    return row_.referenced_pods == nullptr ? std::vector<PodTemplate>()
                                           : row_.referenced_pods(object, spec);
  }

  std::vector<Reference> References(const json& object, const std::string& ns) const override {
    return ReferencesOf(row_.references, object, ns);
  }

  Result<std::string> RemoteBody(const Job& local, const Workload& workload,
                                 const Identity& us) const override {
    if (local.text == nullptr) return Fail(ErrorCode::kInternal, "the job's text was not kept");
    const json source = json::parse(*local.text, nullptr, false);
    json body{{"apiVersion", resource().ApiVersion()},
              {"kind", resource().kind},
              {"metadata", RemoteMetadata(source, local, workload, us)},
              {"spec", Member(source, "spec")}};
    if (!body["spec"].is_object()) return Fail(ErrorCode::kInternal, "the job's spec was not kept");
    // As of a batch/v1 Job: it follows the job with the next Workload, where it can.
    if (workload.slice != nullptr && row_.scaled && !row_.scaled->fields.empty())
      SetCounts(row_.pod_sets, workload.slice->pod_counts, body);
    EraseAt(body, row_.managed_by);
    for (const FieldPath& path : row_.stripped) EraseAt(body, path);
    for (const std::string& name : row_.stripped_annotations)
      body["metadata"]["annotations"].erase(name);
    if (row_.adoption == Adoption::kOwner) NameWorkload(workload.key.name, body["metadata"]);
    if (row_.adoption == Adoption::kByOriginUid) {
      body["metadata"]["annotations"][std::string(kOriginUid)] = local.uid;
      body["metadata"]["labels"].erase(std::string(kPrebuiltWorkload));
    }
    for (json* pod_template : PodTemplates(body)) DropKueueMarks(*pod_template);
    // Its Kueue resumes the job after adopting the clone; a job that started by itself would escape
    // admission.
    if (!row_.suspend.path.empty())
      PutAt(body, row_.suspend.path, json::parse(row_.suspend.suspended, nullptr, false));
    return Dump(body);
  }

  std::optional<std::string> MirrorPatch(const Job& local, const Job& remote) const override {
    if (local.finished) return std::nullopt;  // Kueue has taken it for the result
    if (remote.stopped || !MirrorsStatus() || (row_.mirror == Mirror::kEnd && !remote.finished))
      return std::nullopt;
    json status = BoundedStatus(StatusOf(remote), essential_);
    if (row_.restated_end && Holds(row_.restated_end->when, json{{"status", status}}))
      status.merge_patch(json::parse(row_.restated_end->status, nullptr, false));
    json patch = MergeDifference(StatusOf(local), status);
    if (patch.empty()) return std::nullopt;
    return StatusPatchBody(local, std::move(patch));
  }

  bool copies_follow() const override { return !row_.parts.empty() || !row_.followed.empty(); }

  std::optional<std::string> FollowPatch(const Job& copy, const Job& local) const override {
    if (!copies_follow() || local.text == nullptr) return std::nullopt;
    json patch{{"metadata", {{"uid", copy.uid}, {"resourceVersion", copy.version.value}}}};
    if (!row_.parts.empty()) PutAt(patch, row_.parts, local.parts);
    if (!row_.followed.empty()) {
      const json object = json::parse(*local.text, nullptr, false);
      for (const FieldPath& path : row_.followed) PutAt(patch, path, FindFirst(object, path));
    }
    return Dump(patch);
  }

  bool scales() const override { return row_.scaled.has_value(); }
  void Scale(const json& local, json& copy) const override {
    CopySizes(row_.scaled, local, copy);
    for (const FieldPath& path : row_.followed) PutAt(copy, path, FindFirst(local, path));
  }

  std::optional<std::string> ClearActivityPatch(const Job& local) const override {
    if (!local.shows_activity || local.finished) return std::nullopt;
    json status = json::parse(row_.cleared_status, nullptr, false);
    ClearConditions(row_.cleared_conditions, StatusOf(local), status);
    return StatusPatchBody(local, std::move(status));
  }

 private:
  // Those that stand in an object that is ours to change. What is no object is left out: where a
  // template is missing the others show a null that does not stand in the job.
  std::vector<json*> PodTemplates(json& object) const {
    std::vector<json*> own;
    const std::vector<PodTemplate> all = row_.pod_sets.empty()
                                             ? PodTemplates(std::as_const(object))
                                             : PodTemplatesOf(row_.pod_sets, object);
    for (const PodTemplate& item : all)
      if (item.object->is_object() && item.made == nullptr)
        own.push_back(const_cast<json*>(item.object));
    return own;
  }

  const KindRow row_;
  const std::vector<std::string> essential_;  // members of a status that stay when it is too large
};

}  // namespace

std::unique_ptr<const JobAdapter> MakeRowAdapter(KindRow row) {
  return std::make_unique<RowAdapter>(std::move(row));
}

}  // namespace fedra::tracking
