#include "manager/cli/fleet/fleet_facts.h"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dra/model/snapshot.h"
#include "manager/cli/manifests/manifest_selectors.h"

namespace fedra::cli {
namespace {

void AddDevices(const dra::Snapshot& snapshot, FleetFacts& facts) {
  const auto qualified = [](const std::string& driver, const dra::Text& name) {
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
        [&](const dra::Text& name, const auto&) { facts.classes.insert(name.str()); });
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

}  // namespace fedra::cli
