#include "manager/cli/fleet/referenced_pods.h"

#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

namespace fedra::cli {
namespace {

using Spec = std::shared_ptr<const verify::NamedSpec>;

Spec FindIn(const verify::ReferenceIndex& objects, const tracking::Reference& reference) {
  const auto* cache = objects.Find(reference.resource);
  return cache == nullptr ? nullptr : cache->Find(reference.key);
}

Spec FindSpec(const tracking::SubmittedJob& job, const tracking::Reference& reference,
              const Fleet& fleet) {
  // What is known of the manager every worker knows.
  if (!fleet.workers.empty()) {
    const ManagerFacts& facts = fleet.workers.front()->manager();
    const auto known = facts.references.find(job.adapter);
    if (known != facts.references.end())
      if (auto found = FindIn(*known->second, reference)) return found;
  }
  for (const auto& worker : fleet.workers)
    if (auto found = FindIn(worker->objects().references(*job.adapter), reference)) return found;
  return nullptr;
}

}  // namespace

tracking::SubmittedJob WithReferencedPods(const tracking::SubmittedJob& job, const Fleet& fleet) {
  tracking::SubmittedJob described = job;
  for (const tracking::Reference& reference : job.requirement.references) {
    const Spec found = FindSpec(job, reference, fleet);
    if (found == nullptr) continue;
    described = tracking::WithReferencedPods(std::move(described),
                                             nlohmann::json::parse(found->spec, nullptr, false));
  }
  return described;
}

}  // namespace fedra::cli
