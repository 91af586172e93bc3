#include "manager/cli/fleet/fleet_facts.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/names.h"
#include "dra/model/snapshot.h"
#include "manager/cli/manifests/manifest_selectors.h"

namespace fedra::cli {
namespace {

void AddDevices(const dra::Snapshot& snapshot, FleetFacts& facts) {
  const auto qualified = [](const std::string& driver, const dra::Symbol& name) {
    const bool has_domain = name.view().find('/') != std::string_view::npos;
    return has_domain ? name.str() : driver + "/" + name.str();
  };
  snapshot.pools().ForEach([&](const dra::PoolKey& key, const auto& pool) {
    const std::string driver = key.driver.str();
    for (const auto& slice : pool->slices) {
      for (const dra::Device& device : slice->devices) {
        ++facts.devices;
        if (device.common)
          for (const dra::Attribute& attribute : *device.common)
            facts.attributes.insert(qualified(driver, attribute.name));
        for (const dra::Attribute& attribute : device.own)
          facts.attributes.insert(qualified(driver, attribute.name));
        if (!device.capacity) continue;
        for (const dra::Capacity& capacity : *device.capacity) {
          facts.capacities.insert(capacity.name.str());
          facts.qualified_capacities.insert(qualified(driver, capacity.name));
        }
      }
    }
  });
}

// The names of the objects of one namespace.
template <class Objects>
std::vector<std::string> NamesIn(const Objects& objects, const std::string& ns) {
  std::vector<std::string> names;
  for (const auto& object : objects)
    if (object->key.ns == ns) names.push_back(object->key.name);
  return names;
}

// The name in "LocalQueue ml/gpus".
std::string NameOf(const std::string& object) { return object.substr(object.rfind('/') + 1); }

}  // namespace

FleetFacts FactsOf(const FleetWorkers& workers) {
  FleetFacts facts;
  for (const auto& worker : workers) {
    facts.may_grow |= worker->HasScalablePools();
    if (!worker->IsKnown()) {
      facts.unread = true;
      continue;
    }
    ++facts.workers;
    const auto snapshot = worker->devices()->snapshot();
    snapshot->classes().ForEach(
        [&](const dra::Symbol& name, const auto&) { facts.classes.insert(name.str()); });
    AddDevices(*snapshot, facts);
  }
  return facts;
}

void NoteSelectorTypos(const tracking::SubmittedJob& job, const FleetWorker& worker,
                       const FleetFacts& fleet, const DefinedClaims& input,
                       report::JobVerdict& verdict) {
  if (verdict.verdict.outcome == verdict::Outcome::kYes) return;
  for (const std::string& name : job.requirement.TemplateNames()) {
    const ObjectKey key{job.key.ns, name};
    const auto there = worker.Template(key);
    if (there == nullptr || input.templates.contains(key)) continue;
    const auto spec = nlohmann::json::parse(there->spec, nullptr, /*allow_exceptions=*/false);
    const std::string object = "ResourceClaimTemplate " + key.ToString();
    for (const SelectorTypo& typo : SelectorTypos(spec, "spec", fleet)) {
      verdict.notes.push_back({object, fmt::format("{}: {}", object, typo.Message(fleet)),
                               fmt::format("{}: {}", object, typo.Hint())});
    }
  }
}

void NoteNameTypos(const tracking::SubmittedJob& job, const FleetWorker& worker,
                   report::JobVerdict& verdict) {
  // On a Yes a missing template is one that is copied.
  if (verdict.verdict.outcome == verdict::Outcome::kYes) return;
  const verify::WorkerObjects& objects = worker.objects();
  const auto* const templates = worker.manager().templates;
  const auto note = [&](const std::string& object, const std::vector<std::string>& known,
                        std::string_view where) {
    const std::string closest = config::ClosestName(NameOf(object), known);
    // One that was found, and is only not like the manager's, is meant as it is written.
    if (closest.empty() || closest == NameOf(object)) return false;
    const std::string kind = object.substr(0, object.find(' '));
    const std::string meant = ObjectKey{job.key.ns, closest}.ToString();
    verdict.notes.push_back({object, fmt::format("there is a {} {} {}", kind, meant, where),
                             fmt::format("{}: did you mean {}?", object, meant)});
    return true;
  };
  for (const verdict::Reason& reason : verdict.verdict.reasons) {
    if (reason.code == verdict::ReasonCode::kQueueMissing)
      note(reason.object, NamesIn(objects.queues().List(), job.key.ns), "there");
    if (reason.code != verdict::ReasonCode::kTemplateMissing) continue;
    const auto there = NamesIn(objects.templates().cache().List(), job.key.ns);
    if (note(reason.object, there, "there") || templates == nullptr) continue;
    const auto on_manager = NamesIn(templates->List(), job.key.ns);
    if (std::ranges::find(on_manager, NameOf(reason.object)) == on_manager.end())
      note(reason.object, on_manager, "on the manager");
  }
}

}  // namespace fedra::cli
