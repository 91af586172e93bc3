#include "manager/verify/device_state.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "dra/model/pod_demand.h"
#include "manager/verify/cache_words.h"

namespace fedra::verify {
namespace {

using nlohmann::json;

// Compiled selectors and their results, kept for the next judgement. More at once are rare.
constexpr size_t kMaxIdleCaches = 2;
// The list that most are judged by, and those of workloads that are in it themselves.
constexpr size_t kMaxAssumedFacts = 8;

dra::AllocatorFeatures FeaturesOf(const DraApi& api) {
  const auto release = cel::ParseRelease(api.release);
  dra::AllocatorFeatures features = release ? dra::FeaturesOf(*release) : dra::AllocatorFeatures{};
  features.device_taint_rules = api.taint_rules;
  features.device_taints |= api.taint_rules;
  features.workload_claims = api.pod_groups;
  return features;
}

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

DeviceChange AsChange(bool changed, DeviceChange change) {
  return changed ? change : DeviceChange::kNone;
}
DeviceChange AsChange(DeviceChange change, DeviceChange) { return change; }

}  // namespace

// `set` stores a value and `drop` an object's absence; each says whether anything changed for
// judgements, or what.
template <class T, class Set, class Drop>
ObjectFeed<T> DeviceState::Feed(Parser<T> parse, Set set, Drop drop) {
  using Change = typename ObjectFeed<T>::Change;
  constexpr bool kOffers = std::is_same_v<T, dra::Slice> || std::is_same_v<T, dra::DeviceClass> ||
                           std::is_same_v<T, dra::TaintRule> || std::is_same_v<T, dra::Node>;
  constexpr DeviceChange kChange = kOffers ? DeviceChange::kOffer : DeviceChange::kFreed;
  return ObjectFeed<T>(
      [this, parse](const json& object) {
        return parsing_.With([&](dra::ParseContext& context) { return parse(object, context); });
      },
      [this, set, drop](std::vector<Change> changes) {
        const DeviceChange most = state_.With([&](State& state) {
          DeviceChange all = DeviceChange::kNone;
          for (Change& change : changes) {
            all = std::max(all,
                           change.value
                               ? AsChange(set(state, change.key, *std::move(change.value)), kChange)
                               : AsChange(drop(state, change.key), kChange));
          }
          return all;
        });
        if (most != DeviceChange::kNone) on_change_(most);
      },
      [this] { on_health_(); });
}

bool DeviceState::CountPodChange(State& state, bool changed) {
  if (changed) ++state.holding_version;
  return changed;
}

ObjectFeed<PodFacts> DeviceState::PodFeed() {
  return Feed<PodFacts>(
      [kinds = options_.kinds](const json& object, dra::ParseContext& context) {
        return ParsePodFacts(object, *kinds, context);
      },
      [](State& state, const ObjectKey& key, PodFacts pod) {
        const bool ended = pod.ended;
        if (!CountPodChange(state, state.pods.Set(key, std::move(pod)))) return DeviceChange::kNone;
        return ended ? DeviceChange::kFreed : DeviceChange::kTaken;
      },
      [](State& state, const ObjectKey& key) {
        return CountPodChange(state, state.pods.Drop(key));
      });
}

// A group's conditions change while its pods come and go; only its claims count.
ObjectFeed<dra::PodGroup> DeviceState::PodGroupFeed() {
  return Feed<dra::PodGroup>(
      [](const json& object, dra::ParseContext&) { return dra::ParsePodGroup(object); },
      [](State& state, const ObjectKey& key, dra::PodGroup group) {
        const auto known = state.pod_groups.find(key);
        if (known != state.pod_groups.end() && known->second == group) return false;
        state.pod_groups.insert_or_assign(key, std::move(group));
        return true;
      },
      [](State& state, const ObjectKey& key) { return state.pod_groups.erase(key) > 0; });
}

DeviceState::DeviceState(DeviceStateOptions options, std::function<void(DeviceChange)> on_change,
                         std::function<void()> on_health)
    : options_(std::move(options)),
      on_change_(std::move(on_change)),
      on_health_(std::move(on_health)),
      slices_(Feed<dra::Slice>(
          &dra::ParseSlice,
          [](State& state, const ObjectKey&, dra::Slice slice) {
            return state.builder.SetSlice(std::move(slice));
          },
          [](State& state, const ObjectKey& key) {
            return state.builder.RemoveSlice(dra::Text(key.name));
          })),
      classes_(Feed<dra::DeviceClass>(
          &dra::ParseDeviceClass,
          [](State& state, const ObjectKey&, dra::DeviceClass device_class) {
            return state.builder.SetClass(std::move(device_class));
          },
          [](State& state, const ObjectKey& key) {
            return state.builder.RemoveClass(dra::Text(key.name));
          })),
      claims_(Feed<dra::Claim>(
          [](const json& object, dra::ParseContext& context) {
            return dra::ParseClaim(object, context);
          },
          // A claim without devices concerns those that name it, who watch it themselves.
          [](State& state, const ObjectKey& key, dra::Claim claim) {
            const bool was = state.builder.IsAllocated(key);
            const bool concerns_all = claim.allocation || was;
            if (!CountPodChange(state, state.builder.SetClaim(std::move(claim))) || !concerns_all)
              return DeviceChange::kNone;
            return was ? DeviceChange::kFreed : DeviceChange::kTaken;
          },
          [](State& state, const ObjectKey& key) {
            const bool concerns_all = state.builder.IsAllocated(key);
            return CountPodChange(state, state.builder.RemoveClaim(key)) && concerns_all;
          })),
      templates_(Feed<dra::ClaimTemplate>(
          [](const json& object, dra::ParseContext& context) {
            return dra::ParseClaimTemplate(object, context);
          },
          [](State& state, const ObjectKey& key, dra::ClaimTemplate claim_template) {
            state.to_come.erase(key);
            state.builder.SetTemplate(std::move(claim_template));
            return false;  // concerns those that name it, who watch it themselves
          },
          [](State& state, const ObjectKey& key) {
            state.to_come.erase(key);
            state.builder.RemoveTemplate(key);
            return false;
          })),
      taint_rules_(Feed<dra::TaintRule>(
          &dra::ParseTaintRule,
          [](State& state, const ObjectKey& key, dra::TaintRule rule) {
            state.broad_rules.erase(key.name);
            if (rule.taints_fewer) state.broad_rules.insert(key.name);
            return state.builder.SetTaintRule(std::move(rule));
          },
          [](State& state, const ObjectKey& key) {
            state.broad_rules.erase(key.name);
            return state.builder.RemoveTaintRule(key.name);
          })),
      pod_groups_(PodGroupFeed()),
      nodes_(Feed<dra::Node>(
          &dra::ParseNode,
          [](State& state, const ObjectKey&, dra::Node node) {
            return state.builder.SetNode(std::move(node));
          },
          [](State& state, const ObjectKey& key) {
            return state.builder.RemoveNode(dra::Text(key.name));
          })),
      pods_(PodFeed()) {}

void DeviceState::SetRelease(const DraApi& api) {
  const dra::AllocatorFeatures features = FeaturesOf(api);
  const bool changed =
      state_.With([&](State& state) { return state.builder.SetFeatures(features); });
  if (changed) on_change_(DeviceChange::kOffer);
}

void DeviceState::AddTemplate(State& state, const ClaimSummary& to_come) const {
  const auto known = state.to_come.find(to_come.key);
  if (known != state.to_come.end() && known->second == to_come.uid) return;
  const bool is_there = known == state.to_come.end() &&
                        state.builder.Publish()->templates().Find(to_come.key) != nullptr;
  if (is_there) return;
  json object = {{"metadata", {{"namespace", to_come.key.ns}, {"name", to_come.key.name}}}};
  object["spec"] = json::parse(to_come.spec, nullptr, /*allow_exceptions=*/false);
  auto parsed = parsing_.With(
      [&](dra::ParseContext& context) { return dra::ParseClaimTemplate(object, context); });
  if (!parsed) return;  // the manager's watch has said so
  state.builder.SetTemplate(*std::move(parsed));
  state.to_come.insert_or_assign(to_come.key, to_come.uid);
}

std::vector<NamedHealth> DeviceState::Healths() const {
  std::vector<NamedHealth> healths{{"resourceslices.resource.k8s.io", slices_.health()},
                                   {"resourceclaims.resource.k8s.io", claims_.health()},
                                   {"deviceclasses.resource.k8s.io", classes_.health()},
                                   {"nodes", nodes_.health()},
                                   {"pods", pods_.health()}};
  // Without the API there are no rules.
  watch::CacheHealth rules = taint_rules_.health();
  if (rules.state != watch::CacheState::kNotServed)
    healths.push_back({"devicetaintrules.resource.k8s.io", std::move(rules)});
  return healths;
}

std::optional<verdict::Reason> DeviceState::Obstacle() const {
  for (const auto& [what, health] : Healths()) {
    if (auto reason = WhySilent(health, what)) return reason;
  }
  return std::nullopt;
}

// A gang that never has enough pods to be scheduled. No API shows whether GangScheduling is on;
// where PodGroups with a gang are served, it is taken to be.
std::optional<verdict::Reason> DeviceState::GangObstacle(const State& state, const std::string& ns,
                                                         std::span<const dra::PodDemand> demands) {
  std::map<std::string, int64_t> pods;
  for (const dra::PodDemand& demand : demands)
    if (!demand.pod_group.empty()) pods[demand.pod_group] += demand.count;
  for (const auto& [name, count] : pods) {
    const auto group = state.pod_groups.find({ns, name});
    if (group == state.pod_groups.end() || group->second.min_count <= count) continue;
    const int64_t there = state.pods.InGroup(group->first);
    if (group->second.min_count <= count + there) continue;
    const std::string object = "PodGroup " + group->first.ToString();
    return verdict::Reason{
        verdict::ReasonCode::kGangIncomplete, object,
        fmt::format("{} needs minCount {} pods before any of them is scheduled; the job has {}{}",
                    object, group->second.min_count, count,
                    there > 0 ? fmt::format(", and the worker has {} of this group", there) : "")};
  }
  return std::nullopt;
}

std::optional<verdict::Reason> DeviceState::GroupObstacle(
    const std::string& ns, std::span<const dra::PodDemand> demands) const {
  if (std::all_of(demands.begin(), demands.end(),
                  [](const dra::PodDemand& demand) { return demand.pod_group.empty(); }))
    return std::nullopt;
  const watch::CacheHealth health = pod_groups_.health();
  if (health.state == watch::CacheState::kNotServed) return std::nullopt;
  if (auto reason = state_.With([&](State& state) { return GangObstacle(state, ns, demands); }))
    return reason;
  const auto missing = state_.With([&](State& state) -> std::optional<ObjectKey> {
    if (!state.builder.Publish()->features().workload_claims) return std::nullopt;
    for (const dra::PodDemand& demand : demands) {
      ObjectKey group{ns, demand.pod_group};
      if (!demand.pod_group.empty() && !state.pod_groups.contains(group)) return group;
    }
    return std::nullopt;
  });
  if (!missing) return std::nullopt;
  if (auto reason = WhySilent(health, "podgroups.scheduling.k8s.io")) return reason;
  return MissingDependency("PodGroup " + missing->ToString());
}

std::optional<verdict::Reason> DeviceState::Uncertainty() const {
  const std::set<std::string> rules =
      state_.With([](const State& state) { return state.broad_rules; });
  if (rules.empty()) return std::nullopt;
  return verdict::Reason{
      verdict::ReasonCode::kApiVersionOld, "DeviceTaintRule " + *rules.begin(),
      fmt::format("{} (such as {}) select{} by deviceClassName or by selectors, "
                  "which is not evaluated: fewer devices may be tainted than it seems",
                  Counted(rules.size(), "DeviceTaintRule"), *rules.begin(),
                  rules.size() == 1 ? "s" : "")};
}

std::shared_ptr<const dra::Snapshot> DeviceState::snapshot() const {
  return state_.With([](State& state) { return state.builder.Publish(); });
}

std::string DeviceState::PodFailures(const tracking::JobKey& job) const {
  return state_.With([&](State& state) { return state.pods.FailuresOf(job); });
}

std::optional<FailedContainer> DeviceState::FailedContainerOf(const tracking::JobKey& job) const {
  return state_.With([&](State& state) { return state.pods.FailedContainerOf(job); });
}

std::map<std::string, DeviceStock> DeviceState::Stock() const {
  const std::shared_ptr<const dra::Snapshot> now = snapshot();
  return stock_.With([&](CountedStock& counted) {
    if (counted.serial != now->use_serial())
      counted = {.serial = now->use_serial(), .by_driver = StockOf(*now)};
    return counted.by_driver;
  });
}

PodCounts DeviceState::HoldingPods(const tracking::JobKey& job) const {
  return state_.With(
      [&](State& state) { return state.pods.Holding(job, *state.builder.Publish()); });
}

uint64_t DeviceState::holding_version() const {
  return state_.With([](const State& state) { return state.holding_version; });
}

// All judgements between two changes share what one of them has found.
std::shared_ptr<const DeviceState::AssumedFacts> DeviceState::FactsOf(
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

DeviceState::Basis DeviceState::TakeBasis(const std::string& ns,
                                          const std::vector<dra::PodDemand>& demands,
                                          const dra::AssumedList& assumed,
                                          const TemplatesToCome& to_come) const {
  return state_.With([&](State& state) {
    for (const auto& claim_template : to_come) AddTemplate(state, *claim_template);
    Basis basis{state.builder.Publish(), state.pods.CountUse(), {}, nullptr};
    basis.assumed = FactsOf(assumed, basis.snapshot);
    const auto add_group = [&](const ObjectKey& group) {
      const auto found = state.pod_groups.find(group);
      if (found != state.pod_groups.end()) basis.pod_groups.insert(*found);
    };
    for (const dra::PodDemand& demand : demands) {
      if (!demand.pod_group.empty()) add_group({ns, demand.pod_group});
    }
    if (basis.assumed != nullptr) {
      for (const ObjectKey& group : basis.assumed->groups) add_group(group);
    }
    return basis;
  });
}

std::unique_ptr<DeviceState::Caches> DeviceState::TakeCaches(
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

void DeviceState::ReturnCaches(std::unique_ptr<Caches> caches) const {
  idle_caches_.With([&](std::vector<std::unique_ptr<Caches>>& idle) {
    if (idle.size() < kMaxIdleCaches) idle.push_back(std::move(caches));
  });
}

dra::Judgement DeviceState::JudgeOn(const Basis& basis, const std::string& ns,
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
  options.used = basis.use.by_node.get();
  options.jobs = basis.use.jobs.get();
  if (!options_.scalable_pools.empty()) options.scalable_pools = &options_.scalable_pools;
  auto caches = TakeCaches(basis.snapshot->features());
  dra::Judgement judgement =
      dra::Judge(ns, grouped.empty() ? demands : grouped, *basis.snapshot,
                 {caches->selectors, caches->matches, &caches->memory}, options);
  ReturnCaches(std::move(caches));
  return judgement;
}

dra::Judgement DeviceState::Judge(const std::string& ns, const std::vector<dra::PodDemand>& demands,
                                  const dra::AssumedList& assumed,
                                  const TemplatesToCome& to_come) const {
  const Basis basis = TakeBasis(ns, demands, assumed, to_come);
  return JudgeOn(basis, ns, demands, assumed);
}

std::shared_ptr<const dra::DeviceSet> DeviceState::Serving(
    const std::string& ns, const std::vector<dra::PodDemand>& demands,
    const TemplatesToCome& to_come) const {
  const Basis basis = TakeBasis(ns, demands, nullptr, to_come);
  const dra::Snapshot& snapshot = *basis.snapshot;
  const std::string wishes = dra::MatchKeysOf(ns, demands, snapshot);
  if (wishes.empty()) return nullptr;
  if (auto known = device_sets_.With(
          [&](const dra::DeviceSets& sets) { return sets.Find(wishes, snapshot); }))
    return known;
  auto caches = TakeCaches(snapshot.features());
  auto made =
      dra::MakeDeviceSet(ns, demands, snapshot, {caches->selectors, caches->matches, nullptr});
  ReturnCaches(std::move(caches));
  return device_sets_.With(
      [&](dra::DeviceSets& sets) { return sets.Keep(wishes, snapshot, std::move(made)); });
}

// Of the snapshot only what decides about these pods: most changes are of other namespaces.
VerdictMemory::Basis DeviceState::BasisOf(const Basis& basis, const std::string& ns,
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
  return made_from;
}

verdict::Verdict DeviceState::Verdict(const std::string& ns, const tracking::Demands& demands,
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
