#include "manager/verify/device_judge.h"

#include <algorithm>
#include <utility>

namespace fedra::verify {
namespace {

// Compiled selectors and their results, kept for the next judgement. More at once are rare.
constexpr size_t kMaxIdleCaches = 2;
// The list that most are judged by, and those of workloads that are in it themselves.
constexpr size_t kMaxAssumedFacts = 8;

void Share(const PodGroups& groups, const std::string& ns, dra::PodDemand& demand) {
  const auto group = groups.find({ns, demand.pod_group});
  if (group != groups.end()) dra::ShareWithPodGroup(group->second, demand);
}

dra::AssumedList Shared(const PodGroups& groups, const dra::AssumedList& assumed) {
  if (assumed == nullptr) return nullptr;
  auto shared = std::make_shared<std::vector<dra::AssumedPods>>(*assumed);
  for (dra::AssumedPods& pods : *shared) {
    if (pods.demand->pod_group.empty()) continue;
    auto demand = std::make_shared<dra::PodDemand>(*pods.demand);
    Share(groups, pods.ns, *demand);
    pods.demand = std::move(demand);
  }
  return shared;
}

// The templates and claims that the pods name: what they are made of, by identity.
void AddObjects(const std::string& ns, const dra::PodDemand& demand, const dra::Snapshot& snapshot,
                std::vector<std::shared_ptr<const void>>& objects) {
  for (const dra::ClaimReference& reference : demand.claims) {
    if (reference.claim_name.empty()) {
      const auto* found = snapshot.templates().Find({ns, reference.template_name});
      objects.push_back(found ? *found : nullptr);
    } else {
      const auto* found = snapshot.claims().Find({ns, reference.claim_name});
      objects.push_back(found ? *found : nullptr);
    }
  }
}

// The templates that the pods name and the snapshot does not have.
void AddLacking(const std::string& ns, const dra::PodDemand& demand, const dra::Snapshot& snapshot,
                std::set<ObjectKey>& lacking) {
  for (const dra::ClaimReference& reference : demand.claims) {
    if (!reference.claim_name.empty()) continue;
    ObjectKey key{ns, reference.template_name};
    if (snapshot.templates().Find(key) == nullptr) lacking.insert(std::move(key));
  }
}

}  // namespace

// All judgements between two changes share what one of them has found.
std::shared_ptr<const DeviceJudge::AssumedFacts> DeviceJudge::FactsOf(
    const dra::AssumedList& assumed, const std::shared_ptr<const dra::Snapshot>& snapshot) const {
  if (assumed == nullptr) return nullptr;
  return assumed_facts_.With([&](auto& known) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& facts) {
      return facts->snapshot.lock() == snapshot && facts->list.lock() == assumed;
    });
    if (found != known.end()) {
      std::rotate(found, found + 1, known.end());  // the first is the one not used for longest
      return known.back();
    }
    auto facts = std::make_shared<AssumedFacts>();
    facts->list = assumed;
    facts->snapshot = snapshot;
    std::vector<std::shared_ptr<const void>> objects;
    for (const dra::AssumedPods& pods : *assumed) {
      AddObjects(pods.ns, *pods.demand, *snapshot, objects);
      AddLacking(pods.ns, *pods.demand, *snapshot, facts->lacking);
      if (!pods.demand->pod_group.empty()) facts->groups.insert({pods.ns, pods.demand->pod_group});
    }
    facts->named.objects = std::make_shared<const std::vector<std::weak_ptr<const void>>>(
        objects.begin(), objects.end());
    std::erase_if(known, [&](const auto& old) { return old->snapshot.lock() != snapshot; });
    if (known.size() >= kMaxAssumedFacts) known.erase(known.begin());
    known.push_back(facts);
    return std::shared_ptr<const AssumedFacts>(facts);
  });
}

// The assumed pods get their templates as these pods do: with their jobs.
void DeviceJudge::LayOver(const std::string& ns, const std::vector<dra::PodDemand>& demands,
                          const TemplatesToCome& to_come, Basis& basis) const {
  if (!to_come) return;
  std::set<ObjectKey> lacking;
  if (basis.assumed != nullptr) lacking = basis.assumed->lacking;
  for (const dra::PodDemand& demand : demands) AddLacking(ns, demand, *basis.snapshot, lacking);
  for (const ObjectKey& key : lacking) {
    const auto original = to_come(key);
    if (original == nullptr) continue;
    if (auto parsed = templates_.Of(original)) basis.to_come.push_back(std::move(parsed));
  }
  if (!basis.to_come.empty()) basis.snapshot = basis.snapshot->WithTemplates(basis.to_come);
}

DeviceJudge::Basis DeviceJudge::TakeBasis(const std::string& ns,
                                          const std::vector<dra::PodDemand>& demands,
                                          const dra::AssumedList& assumed,
                                          const TemplatesToCome& to_come) const {
  Basis basis;
  devices_.objects.With([&](DeviceObjects& objects) {
    basis.snapshot = objects.builder.Publish();
    basis.use = objects.pods.CountUse();
    basis.assumed = FactsOf(assumed, basis.snapshot);
    const auto add_group = [&](const ObjectKey& group) {
      const auto found = objects.pod_groups.find(group);
      if (found != objects.pod_groups.end()) basis.pod_groups.insert(*found);
    };
    for (const dra::PodDemand& demand : demands) {
      if (!demand.pod_group.empty()) add_group({ns, demand.pod_group});
    }
    if (basis.assumed != nullptr) {
      for (const ObjectKey& group : basis.assumed->groups) add_group(group);
    }
  });
  LayOver(ns, demands, to_come, basis);
  return basis;
}

std::unique_ptr<DeviceJudge::Caches> DeviceJudge::TakeCaches(
    const dra::AllocatorFeatures& features) const {
  return idle_caches_.With([&](std::vector<std::unique_ptr<Caches>>& idle) {
    // What another scheduler would have done is of no use.
    std::erase_if(idle, [&](const auto& caches) { return caches->features != features; });
    if (idle.empty()) return std::make_unique<Caches>(Caches{.features = features});
    auto taken = std::move(idle.back());
    idle.pop_back();
    return taken;
  });
}

void DeviceJudge::ReturnCaches(std::unique_ptr<Caches> caches) const {
  idle_caches_.With([&](std::vector<std::unique_ptr<Caches>>& idle) {
    if (idle.size() < kMaxIdleCaches) idle.push_back(std::move(caches));
  });
}

dra::Judgement DeviceJudge::JudgeOn(const Basis& basis, const std::string& ns,
                                    const std::vector<dra::PodDemand>& demands,
                                    const dra::AssumedList& assumed) const {
  std::vector<dra::PodDemand> grouped;
  dra::JudgeOptions options;
  options.assumed = assumed;
  if (!basis.pod_groups.empty()) {
    grouped = demands;
    for (dra::PodDemand& demand : grouped) Share(basis.pod_groups, ns, demand);
    options.assumed = Shared(basis.pod_groups, assumed);
  }
  options.node_resources = options_.node_resources;
  options.used = basis.use.by_node;
  options.node_claims = basis.use.node_claims.get();
  options.repelled = basis.use.repelled.get();
  options.jobs = basis.use.jobs.get();
  if (!options_.scalable_pools.empty()) options.scalable_pools = &options_.scalable_pools;
  auto caches = TakeCaches(basis.snapshot->features());
  dra::Judgement judgement =
      dra::Judge(ns, grouped.empty() ? demands : grouped, *basis.snapshot,
                 {caches->selectors, caches->matches, &caches->memory}, options);
  ReturnCaches(std::move(caches));
  return judgement;
}

dra::Judgement DeviceJudge::Judge(const std::string& ns, const std::vector<dra::PodDemand>& demands,
                                  const dra::AssumedList& assumed,
                                  const TemplatesToCome& to_come) const {
  const Basis basis = TakeBasis(ns, demands, assumed, to_come);
  return JudgeOn(basis, ns, demands, assumed);
}

std::shared_ptr<const dra::DeviceSet> DeviceJudge::Serving(
    const std::string& ns, const std::vector<dra::PodDemand>& demands,
    const TemplatesToCome& to_come) const {
  const Basis basis = TakeBasis(ns, demands, nullptr, to_come);
  const dra::Snapshot& snapshot = *basis.snapshot;
  const std::string selection_key = dra::SelectionKeyOf(ns, demands, snapshot);
  if (selection_key.empty()) return nullptr;
  if (auto known = device_sets_.With(
          [&](const dra::DeviceSets& sets) { return sets.Find(selection_key, snapshot); }))
    return known;
  auto caches = TakeCaches(snapshot.features());
  auto made =
      dra::MakeDeviceSet(ns, demands, snapshot, {caches->selectors, caches->matches, nullptr});
  ReturnCaches(std::move(caches));
  return device_sets_.With(
      [&](dra::DeviceSets& sets) { return sets.Keep(selection_key, snapshot, std::move(made)); });
}

// Of the snapshot only what decides about these pods: most changes are of other namespaces.
VerdictMemory::Basis DeviceJudge::BasisOf(const Basis& basis, const std::string& ns,
                                          const std::vector<dra::PodDemand>& demands,
                                          const dra::AssumedList& assumed) {
  const dra::Snapshot& snapshot = *basis.snapshot;
  VerdictMemory::Basis made_from{.devices = snapshot.use_serial(),
                                 .nodes = snapshot.nodes_serial(),
                                 .classes = snapshot.classes_serial(),
                                 .used = basis.use.serial,
                                 .objects = {},
                                 .pod_groups = basis.pod_groups,
                                 .assumed = {assumed},
                                 .assumed_objects = {}};
  if (basis.assumed != nullptr) made_from.assumed_objects = basis.assumed->named;
  for (const dra::PodDemand& demand : demands) AddObjects(ns, demand, snapshot, made_from.objects);
  for (const auto& [key, group] : basis.pod_groups) {
    for (const dra::PodGroup::Claim& claim : group.claims) {
      const auto* found = snapshot.claims().Find({key.ns, claim.generated});
      made_from.objects.push_back(found ? *found : nullptr);
    }
  }
  made_from.objects.insert(made_from.objects.end(), basis.to_come.begin(), basis.to_come.end());
  return made_from;
}

verdict::Verdict DeviceJudge::Verdict(const std::string& ns, const tracking::Demands& demands,
                                      const dra::AssumedList& assumed,
                                      const TemplatesToCome& to_come) const {
  const Basis basis = TakeBasis(ns, *demands, assumed, to_come);
  VerdictMemory::Basis made_from = BasisOf(basis, ns, *demands, assumed);
  auto known =
      remembered_.With([&](VerdictMemory& memory) { return memory.Find(demands, made_from); });
  if (known) return *std::move(known);
  verdict::Verdict verdict = JudgeOn(basis, ns, *demands, assumed).verdict;
  remembered_.With(
      [&](VerdictMemory& memory) { memory.Keep(demands, std::move(made_from), verdict); });
  return verdict;
}

}  // namespace fedra::verify
