#include "manager/verify/references.h"

#include <algorithm>
#include <utility>

#include "manager/verify/cache_status.h"
#include "manager/verify/difference.h"

namespace fedra::verify {
namespace {

using verdict::Outcome;
using verdict::Reason;
using verdict::ReasonCode;

void Against(Outcome outcome, Reason reason, verdict::Verdict& verdict) {
  verdict.outcome = std::max(verdict.outcome, outcome);
  verdict.reasons.push_back(std::move(reason));
}

Reason DriftOf(const tracking::Reference& reference, const NamedSpec& there,
               const NamedSpec& here) {
  std::string object = reference.resource.kind + " " + reference.key.ToString();
  verdict::Drift drift = TemplateDrift(there.spec, here.spec);
  drift.object = object;
  return {ReasonCode::kTemplateDrift, std::move(object), std::move(drift)};
}

}  // namespace

ReferenceIndex::ReferenceIndex(const std::vector<kube::Resource>& resources,
                               const std::function<void(const ObjectKey& object)>& on_change,
                               const std::function<void()>& on_health) {
  for (const kube::Resource& resource : resources) {
    entries_.push_back(
        {resource, std::make_unique<watch::ObjectCache<NamedSpec>>(
                       &ParseNamedSpec,
                       [on_change](const ObjectKey& key, const auto& before, const auto& after) {
                         if (before == nullptr || after == nullptr || *before != *after)
                           on_change(key);
                       },
                       [on_health](const watch::CacheHealth&) { on_health(); })});
  }
}

ReferenceIndex::~ReferenceIndex() = default;

std::vector<Input> ReferenceIndex::Inputs() const {
  std::vector<Input> inputs;
  for (const Entry& entry : entries_) inputs.push_back({entry.resource, entry.cache.get()});
  return inputs;
}

const watch::ObjectCache<NamedSpec>* ReferenceIndex::Find(const kube::Resource& resource) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.resource == resource; });
  return found == entries_.end() ? nullptr : found->cache.get();
}

void VerifyReferences(const tracking::Requirement& requirement, const ReferenceIndex& there,
                      const ReferenceIndex* manager, Drift drift, verdict::Verdict& verdict,
                      std::vector<Reason>& notes) {
  for (const tracking::Reference& reference : requirement.references) {
    const kube::Resource& resource = reference.resource;
    const auto* cache = there.Find(resource);
    if (cache == nullptr) continue;
    const auto copy = cache->Find(reference.key);
    if (copy == nullptr) {
      auto why = WhySilent(cache->health(), resource.plural + "." + resource.group);
      const bool missing = !why || why->code == ReasonCode::kApiMissing;
      Against(missing ? Outcome::kNo : Outcome::kUnknown,
              why ? *std::move(why)
                  : Reason{ReasonCode::kDependencyMissing,
                           resource.kind + " " + reference.key.ToString(),
                           verdict::Missing{.kind = resource.kind, .key = reference.key}},
              verdict);
      continue;
    }
    const auto* originals = manager == nullptr ? nullptr : manager->Find(resource);
    const auto original = originals == nullptr ? nullptr : originals->Find(reference.key);
    if (drift == Drift::kIgnore || original == nullptr || original->spec == copy->spec) continue;
    Reason reason = DriftOf(reference, *copy, *original);
    if (drift == Drift::kRequire)
      Against(Outcome::kNo, std::move(reason), verdict);
    else
      notes.push_back(std::move(reason));
  }
}

}  // namespace fedra::verify
