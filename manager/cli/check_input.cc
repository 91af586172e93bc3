#include "manager/cli/check_input.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "manager/cli/manifest_v1.h"
#include "manager/cli/snapshot_names.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Text;

// Where `part` stands in `whole`: "spec.template"; nothing when it is not in there.
std::optional<std::string> PathOf(const json& part, const json& whole, const std::string& path) {
  if (&part == &whole) return path;
  if (!whole.is_object()) return std::nullopt;
  for (const auto& [name, value] : whole.items()) {
    if (auto found = PathOf(part, value, path.empty() ? name : path + "." + name)) return found;
  }
  return std::nullopt;
}

// Whether it is a job; then it is one of the input, or a finding.
bool AddJob(const Manifest& manifest, const std::string& default_ns, CheckInput& input) {
  const json& object = manifest.object;
  const std::string kind = Text(object, "kind");
  const tracking::JobAdapter* adapter =
      tracking::FindAdapter({Text(object, "apiVersion"), kind, {}, {}});
  if (adapter == nullptr) return false;
  const ObjectKey key = KeyOf(object, default_ns);
  Findings findings(manifest, kind + " " + key.ToString(), input.findings);
  for (const tracking::PodTemplate& item : adapter->PodTemplates(Member(object, "spec")))
    CheckPodClaims(*item.object, PathOf(*item.object, object, "").value_or(item.name), key.ns,
                   input.defined, findings);
  auto job = tracking::ParseSubmitted(object, default_ns);
  if (job)
    input.jobs.push_back(*std::move(job));
  else
    findings.Error("", job.error().message);
  return true;
}

void AddAttributes(const dra::Snapshot& snapshot, FleetFacts& facts) {
  const auto add = [&](const std::string& driver, const dra::Text& name) {
    const bool qualified = name.view().find('/') != std::string_view::npos;
    facts.attributes.insert(qualified ? name.str() : driver + "/" + name.str());
  };
  snapshot.pools().ForEach([&](const dra::PoolKey& key, const auto& pool) {
    const std::string driver = key.driver.str();
    for (const auto& slice : pool->slices) {
      for (const dra::Device& device : slice->devices) {
        ++facts.devices;
        if (device.common)
          for (const dra::Attribute& attribute : *device.common) add(driver, attribute.name);
        for (const dra::Attribute& attribute : device.own) add(driver, attribute.name);
      }
    }
  });
}

}  // namespace

Result<CheckInput> ReadCheckInput(const std::vector<std::string>& files,
                                  const std::string& default_ns) {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<Manifest> manifests, ReadManifests(files));
  CheckInput input;
  input.defined = Define(manifests, default_ns);
  for (const Manifest& manifest : manifests) {
    if (IsDraManifest(manifest.object)) {
      CheckDraManifest(manifest, default_ns, input.findings);
      input.dra.push_back(manifest);
    } else if (!AddJob(manifest, default_ns, input)) {
      input.skipped.push_back(fmt::format(
          "{}:{}: \"{}, Kind={}\" is no job that fedra can run; skipped", manifest.file,
          manifest.document, Text(manifest.object, "apiVersion"), Text(manifest.object, "kind")));
    }
  }
  if (input.jobs.empty() && input.dra.empty() && input.findings.empty()) {
    std::string skipped;
    for (const std::string& line : input.skipped) skipped += "\n" + line;
    return Fail(ErrorCode::kInvalidArgument, "no job was found in the input" + skipped);
  }
  return input;
}

void CheckAgainstWorkers(const JudgedWorkers& workers, const std::string& default_ns,
                         CheckInput& input) {
  FleetFacts facts;
  for (const auto& worker : workers) {
    if (!worker->IsKnown()) continue;
    ++facts.workers;
    const auto snapshot = worker->devices()->snapshot();
    snapshot->classes().ForEach(
        [&](const dra::Text& name, const auto&) { facts.classes.insert(name.str()); });
    AddAttributes(*snapshot, facts);
  }
  for (const Manifest& manifest : input.dra)
    CheckAgainstFleet(manifest, default_ns, facts, input.defined, input.findings);
}

AssumedTemplates::AssumedTemplates(const CheckInput& input, const std::string& default_ns,
                                   bool redacted, const JudgedWorkers& workers) {
  for (const Manifest& manifest : input.dra) {
    if (Text(manifest.object, "kind") != "ResourceClaimTemplate") continue;
    ObjectKey key = KeyOf(manifest.object, default_ns);
    if (redacted) key = {Pseudonym("ns", key.ns), Pseudonym("template", key.name)};
    nlohmann::ordered_json object = WithDefaults(ToV1(manifest.object));
    object["metadata"]["namespace"] = key.ns;
    object["metadata"]["name"] = key.name;
    for (const auto& worker : workers) {
      if (worker->HasTemplate(key) || !worker->AssumeTemplate(object.dump())) continue;
      all_.push_back({key, worker->name(), fmt::format("{}:{}", manifest.file, manifest.document)});
    }
  }
}

void AssumedTemplates::Note(const tracking::SubmittedJob& job, JobVerdict& verdict) const {
  for (const std::string& name : job.requirement.TemplateNames()) {
    const auto assumed = std::find_if(all_.begin(), all_.end(), [&](const Assumed& item) {
      return item.worker == verdict.worker && item.key == ObjectKey{job.key.ns, name};
    });
    if (assumed == all_.end()) continue;
    const std::string object = "ResourceClaimTemplate " + assumed->key.ToString();
    verdict.verdict.reasons.push_back(
        {dra::ReasonCode::kTemplateMissing, object,
         fmt::format("{} does not exist there; judged as if {} were created", object,
                     assumed->place)});
  }
}

}  // namespace fedra::cli
