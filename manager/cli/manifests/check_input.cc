#include "manager/cli/manifests/check_input.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/cli/manifests/job_rules.h"
#include "manager/cli/manifests/job_schema.h"
#include "manager/cli/manifests/kueue_rules.h"
#include "manager/cli/manifests/manifest_fields.h"
#include "manager/cli/manifests/manifest_outdated.h"
#include "manager/cli/manifests/manifest_selectors.h"
#include "manager/cli/manifests/pod_rules.h"
#include "manager/cli/manifests/skipped.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kinds/pod.h"
#include "manager/tracking/kinds/pod_maker.h"
#include "manager/tracking/kinds/submitted_group.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;

constexpr const char* kPriorityClassLabel = "kueue.x-k8s.io/priority-class";

bool HasName(const json& object) {
  return !tracking::Text(Member(object, "metadata"), "name").empty();
}

// Of a name that the API server is to generate, its beginning.
ObjectKey JobKey(const json& job, const std::string& default_ns) {
  ObjectKey key = KeyOf(job, default_ns);
  if (key.name.empty()) key.name = tracking::Text(Member(job, "metadata"), "generateName");
  return key;
}

// Nearly everything that a job needs is its namespace's.
void CheckNamespace(const json& job, const std::string& default_ns, Findings& findings) {
  if (!default_ns.empty() || !tracking::Text(Member(job, "metadata"), "namespace").empty()) return;
  findings.Warn("metadata.namespace", "is not given: looked for in \"default\"",
                "say which with -n NAMESPACE");
}

const tracking::JobAdapter* MakerOf(const json& object) {
  return tracking::FindPodMaker(tracking::Text(object, "apiVersion"),
                                tracking::Text(object, "kind"));
}

// Null: no job that fedra can run, nor what makes pods that are.
const tracking::JobAdapter* AdapterOf(const json& object, const tracking::JobKinds& kinds) {
  const auto* adapter =
      kinds.Find(tracking::Text(object, "apiVersion"), tracking::Text(object, "kind"));
  const bool runs_pods = kinds.Find("v1", "Pod") != nullptr;
  return adapter == nullptr && runs_pods ? MakerOf(object) : adapter;
}

// What has an error, and each place of one.
struct Mistakes {
  explicit Mistakes(const CheckInput& input) : objects(ObjectsWithErrors(input)) {
    for (const Finding& finding : input.findings)
      if (finding.severity == Severity::kError)
        places.insert({finding.object, finding.file, finding.document});
  }
  std::set<std::string> objects;
  std::set<std::tuple<std::string, std::string, int>> places;
};

// A job that is defined twice has the mistakes of both; those of a generated name are two jobs. A
// group has those of all its pods.
bool HasError(const Mistakes& mistakes, const InputJob& job) {
  if (std::ranges::any_of(job.objects, [&](const std::string& object) {
        return mistakes.objects.contains(object);
      }))
    return true;
  const std::string object = job.kind + " " + job.key.ToString();
  return job.is_generated ? mistakes.places.contains({object, job.file, job.document})
                          : mistakes.objects.contains(object);
}

// Whether it needs a template or claim of the input that has a mistake itself: what the clusters
// have under that name is not what is meant.
bool NamesMistakes(const Mistakes& mistakes, const InputJob& job) {
  if (!job.submitted) return false;
  const auto is_wrong = [&](const char* kind, const std::string& name) {
    return mistakes.objects.contains(
        fmt::format("{} {}", kind, ObjectKey{job.key.ns, name}.ToString()));
  };
  const auto& needs = job.submitted->requirement;
  return std::ranges::any_of(
             needs.TemplateNames(),
             [&](const auto& name) { return is_wrong("ResourceClaimTemplate", name); }) ||
         std::ranges::any_of(needs.ClaimNames(),
                             [&](const auto& name) { return is_wrong("ResourceClaim", name); });
}

// Kueue's class for its Workload, or Kubernetes' for its pods.
bool NamesPriority(const json& object, const tracking::JobAdapter& adapter) {
  if (!tracking::Text(Member(Member(object, "metadata"), "labels"), kPriorityClassLabel).empty())
    return true;
  const auto templates = adapter.PodTemplates(object);
  return std::any_of(templates.begin(), templates.end(), [](const tracking::PodTemplate& item) {
    return !tracking::Text(Member(*item.object, "spec"), "priorityClassName").empty();
  });
}

// A group's pods: the manifest of each, once, and what findings call those with a name.
struct Group {
  std::vector<const Manifest*> manifests;
  std::set<std::string> names;
};

// Where things of the input are.
struct Places {
  std::map<std::pair<std::string, ObjectKey>, size_t> jobs;  // by kind and name
  std::map<ObjectKey, Group> groups;
  std::vector<const Manifest*> manifests;  // of each job; of a group that of its first pod
};

// All that can be wrong with one object without its being compared with others.
void CheckJob(const json& object, const tracking::JobAdapter& adapter, const ObjectKey& key,
              const std::string& default_ns, const DefinedClaims& defined, Findings& findings) {
  CheckObjectName(object, findings);
  CheckNamespace(object, default_ns, findings);
  if (&adapter == &tracking::BatchJobAdapter()) {
    CheckTypes(object, "", tracking::Text(object, "kind"), findings);
    CheckJobRules(object, findings);
  }
  for (const tracking::PodTemplate& item : adapter.PodTemplates(object)) {
    const json& written = item.made_of == nullptr ? *item.object : *item.made_of;
    const std::string path = PlaceIn(object, written, "spec.template");
    CheckTypes(written, path, &written == &object ? "Pod" : "PodTemplateSpec", findings);
    CheckPodRules(written, path, findings);
    CheckPodClaims(written, path, key.ns, defined, findings);
  }
  if (MakerOf(object) == nullptr || tracking::QueueOfPods(object).empty())
    CheckQueueName(object, key, findings);
  CheckManagedBy(object, adapter, findings);
  CheckIsDispatched(object, adapter, findings);
}

// Null: the input has no such job yet.
InputJob* FindJob(CheckInput& input, const Places& places, const std::string& kind,
                  const ObjectKey& key) {
  const auto found = places.jobs.find({kind, key});
  return found == places.jobs.end() ? nullptr : &input.jobs[found->second];
}

InputJob& PutJob(InputJob job, const Manifest& manifest, CheckInput& input, Places& places) {
  job.file = manifest.file;
  job.document = manifest.document;
  places.jobs.try_emplace({job.kind, job.key}, input.jobs.size());
  places.manifests.push_back(&manifest);
  return input.jobs.emplace_back(std::move(job));
}

// The group is a job of the input, where its first pod is.
void JoinGroup(const Manifest& manifest, const tracking::JobAdapter& adapter,
               const ObjectKey& group, const std::string& object, CheckInput& input,
               Places& places) {
  const std::string kind(adapter.group_kind());
  InputJob* job = FindJob(input, places, kind, group);
  if (job == nullptr) job = &PutJob({.kind = kind, .key = group}, manifest, input, places);
  job->has_priority |= NamesPriority(*manifest.object, adapter);
  Group& pods = places.groups[group];
  // One that is defined twice is a mistake by itself.
  if (!pods.names.insert(object).second && HasName(*manifest.object)) return;
  job->objects.push_back(object);
  pods.manifests.push_back(&manifest);
}

// Whether it is a job, or a pod of one; then that is one of the input, or a finding.
bool AddJob(const Manifest& manifest, const tracking::JobKinds& kinds,
            const std::string& default_ns, CheckInput& input, Places& places) {
  const json& object = *manifest.object;
  const std::string kind = tracking::Text(object, "kind");
  const tracking::JobAdapter* adapter = AdapterOf(object, kinds);
  if (adapter == nullptr) return false;
  const ObjectKey key = JobKey(object, default_ns);
  const std::string name = kind + " " + key.ToString();
  Findings findings(manifest, name, input.findings);
  CheckJob(object, *adapter, key, default_ns, input.defined, findings);
  if (std::string group = tracking::PodGroupOf(Member(object, "metadata"));
      !adapter->group_kind().empty() && !group.empty()) {
    JoinGroup(manifest, *adapter, {key.ns, std::move(group)}, name, input, places);
    return true;
  }
  const bool is_known = HasName(object) && FindJob(input, places, kind, key) != nullptr;
  if (!is_known)
    PutJob({.kind = kind,
            .key = key,
            .is_generated = !HasName(object),
            .has_priority = NamesPriority(object, *adapter)},
           manifest, input, places);
  auto job = tracking::ParseSubmitted(object, kinds, default_ns);
  if (job) {
    if (!is_known) input.jobs.back().submitted = *std::move(job);
  } else if (!findings.has_error()) {  // otherwise it has been said, with its place
    const std::string context = key.ToString() + ": ";
    const std::string& message = job.error().message;
    findings.Error("", message.substr(message.starts_with(context) ? context.size() : 0));
  }
  return true;
}

// Once all of its pods have been read.
void AddGroups(const Places& places, CheckInput& input) {
  const Mistakes mistakes(input);
  for (const auto& [key, group] : places.groups) {
    const tracking::JobAdapter& adapter = tracking::PodAdapter();
    InputJob& job = *FindJob(input, places, std::string(adapter.group_kind()), key);
    if (HasError(mistakes, job)) continue;
    std::vector<const json*> pods;
    for (const Manifest* manifest : group.manifests) pods.push_back(manifest->object.get());
    auto submitted = tracking::ParseSubmittedGroup(pods, adapter, key);
    if (submitted)
      job.submitted = *std::move(submitted);
    else
      Findings(*group.manifests.front(), job.kind + " " + key.ToString(), input.findings)
          .Error("metadata.annotations", submitted.error().message);
  }
}

// kubectl apply would keep one of them, kubectl create stop at the second: neither is what was
// meant.
void CheckDefinedOnce(const std::vector<Manifest>& manifests, const tracking::JobKinds& kinds,
                      const std::string& default_ns, std::vector<Finding>& all) {
  std::map<std::string, const Manifest*> first;
  for (const Manifest& manifest : manifests) {
    const ObjectKey key = KeyOf(*manifest.object, default_ns);
    const std::string kind = tracking::Text(*manifest.object, "kind");
    if (!HasName(*manifest.object) ||
        !(IsDraManifest(*manifest.object) || AdapterOf(*manifest.object, kinds) != nullptr))
      continue;
    const std::string object = kind + " " + key.ToString();
    const auto [there, is_new] = first.emplace(object, &manifest);
    if (is_new) continue;
    Findings(manifest, object, all)
        .Error("metadata.name", fmt::format("is defined twice (also in {})",
                                            PlaceOf(there->second->file, there->second->document)));
  }
}

}  // namespace

Result<CheckInput> ReadCheckInput(const std::vector<std::string>& paths,
                                  const tracking::JobKinds& kinds, const std::string& default_ns) {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<ManifestFile> files, ReadFiles(paths));
  return ParseCheckInput(files, kinds, default_ns);
}

Result<CheckInput> ParseCheckInput(const std::vector<ManifestFile>& files,
                                   const tracking::JobKinds& kinds, const std::string& default_ns,
                                   const std::optional<ManifestBounds>& bounds) {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<Manifest> manifests, ParseManifests(files, bounds));
  return CheckInputOf(manifests, files, kinds, default_ns);
}

Result<CheckInput> CheckInputOf(const std::vector<Manifest>& manifests,
                                const std::vector<ManifestFile>& files,
                                const tracking::JobKinds& kinds, const std::string& default_ns) {
  CheckInput input;
  input.defined = Define(manifests, default_ns);
  Places places;
  for (const Manifest& manifest : manifests) {
    if (CheckOutdatedKind(manifest, input.findings)) continue;
    if (IsDraManifest(*manifest.object)) {
      CheckDraManifest(manifest, default_ns, input.findings);
      input.dra.push_back(manifest);
    } else if (!AddJob(manifest, kinds, default_ns, input, places)) {
      input.skipped.push_back(PlaceOf(manifest.file, manifest.document) + ": " +
                              WhySkipped(*manifest.object, kinds));
    }
  }
  if (input.jobs.empty() && input.dra.empty() && input.findings.empty())
    return Fail(ErrorCode::kInvalidArgument, WhyNothing(files, SkippedLines(input.skipped)));
  CheckDefinedOnce(manifests, kinds, default_ns, input.findings);
  AddGroups(places, input);
  const Mistakes mistakes(input);
  for (size_t i = 0; i < input.jobs.size(); ++i) {
    InputJob& job = input.jobs[i];
    if (HasError(mistakes, job) || NamesMistakes(mistakes, job)) job.submitted.reset();
    if (!job.submitted) continue;
    const Manifest& manifest = *places.manifests[i];
    Findings findings(manifest, job.kind + " " + job.key.ToString(), input.findings);
    CheckAsksForSomething(*job.submitted, *manifest.object, findings);
    CheckPodSets(*job.submitted, *manifest.object, findings);
  }
  return input;
}

std::set<std::string> NamespacesIn(const std::vector<Manifest>& manifests,
                                   const tracking::JobKinds& kinds, const std::string& default_ns) {
  std::set<std::string> all;
  for (const Manifest& manifest : manifests) {
    if (IsDraManifest(*manifest.object) || AdapterOf(*manifest.object, kinds) != nullptr)
      all.insert(KeyOf(*manifest.object, default_ns).ns);
  }
  all.erase("");  // of a DeviceClass
  return all;
}

void CheckAgainstWorkers(const FleetFacts& fleet, const std::string& default_ns, CheckInput& input,
                         const std::function<bool()>& goes_on) {
  for (const Manifest& manifest : input.dra) {
    if (goes_on && !goes_on()) break;
    CheckAgainstFleet(manifest, default_ns, fleet, input.defined, input.findings);
    CheckSelectorsAgainstFleet(manifest, default_ns, fleet, input.findings);
  }
  const bool judged = std::any_of(input.jobs.begin(), input.jobs.end(),
                                  [](const InputJob& job) { return job.submitted.has_value(); });
  for (Finding& finding : input.findings)
    if (judged && finding.severity == Severity::kNowhere) finding.severity = Severity::kWarning;
}

bool NameClaims(const CheckInput& input) {
  return std::ranges::any_of(input.jobs, [](const InputJob& job) {
    return job.submitted && !job.submitted->requirement.ClaimNames().empty();
  });
}

std::vector<const tracking::JobAdapter*> KindsOf(const CheckInput& input) {
  std::vector<const tracking::JobAdapter*> kinds;
  for (const InputJob& job : input.jobs)
    if (job.submitted) kinds.push_back(job.submitted->adapter);
  return kinds;
}

std::set<std::string> ObjectsWithErrors(const CheckInput& input) {
  std::set<std::string> objects;
  for (const Finding& finding : input.findings)
    if (finding.severity == Severity::kError) objects.insert(finding.object);
  return objects;
}

}  // namespace fedra::cli
