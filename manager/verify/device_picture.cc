#include "manager/verify/device_picture.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "dra/pod_demand.h"
#include "manager/tracking/json_fields.h"
#include "manager/verify/cache_words.h"

namespace fedra::verify {
namespace {

using nlohmann::json;

// Above this many judgements all are forgotten.
constexpr size_t kMaxRemembered = 1024;
// Compiled selectors and their results, kept for the next judgement. More at once are rare.
constexpr size_t kMaxIdleCaches = 2;
constexpr std::string_view kJobNameLabel = "batch.kubernetes.io/job-name";

dra::AllocatorFeatures FeaturesOf(const std::string& git_version, bool taint_rules) {
  const auto release = cel::ParseRelease(git_version);
  dra::AllocatorFeatures features = release ? dra::FeaturesOf(*release) : dra::AllocatorFeatures{};
  features.device_taint_rules = taint_rules;
  features.device_taints |= taint_rules;
  return features;
}

// Kubelets write a node's status every few minutes; only what placing looks at counts.
bool SameNode(const dra::Node& a, const dra::Node& b) {
  const auto same_taint = [](const dra::NodeTaint& x, const dra::NodeTaint& y) {
    return x.key == y.key && x.value == y.value && x.effect == y.effect;
  };
  return a.labels == b.labels && a.unschedulable == b.unschedulable &&
         a.allocatable == b.allocatable &&
         std::equal(a.taints.begin(), a.taints.end(), b.taints.begin(), b.taints.end(), same_taint);
}

bool SamePod(const PodFacts& a, const PodFacts& b) {
  return a.node == b.node && a.ended == b.ended && a.requests == b.requests &&
         a.claims == b.claims && a.claims_to_come == b.claims_to_come;
}

Result<PodFacts> ReadPod(const json& object, dra::ParseContext& context) {
  FEDRA_ASSIGN_OR_RETURN(dra::PodDemand demand, dra::ParsePodDemand(object, context));
  const json& metadata = tracking::Member(object, "metadata");
  const json& status = tracking::Member(object, "status");
  PodFacts pod;
  pod.node = context.texts.Intern(tracking::Text(tracking::Member(object, "spec"), "nodeName"));
  pod.job = {tracking::Text(metadata, "namespace"),
             tracking::Text(tracking::Member(metadata, "labels"), kJobNameLabel)};
  const std::string phase = tracking::Text(status, "phase");
  pod.ended = phase == "Succeeded" || phase == "Failed";
  pod.requests = std::move(demand.requests);
  for (const dra::ClaimReference& claim : demand.claims) {
    if (claim.claim_name.empty())
      ++pod.claims_to_come;
    else
      pod.claims.push_back(claim.claim_name);
  }
  const auto add_generated = [&](const json& claim) {
    std::string name = tracking::Text(claim, "resourceClaimName");
    if (!name.empty()) pod.claims.push_back(std::move(name));
  };
  const json& generated = tracking::Member(status, "resourceClaimStatuses");
  if (generated.is_array()) {
    for (const json& claim : generated) {
      add_generated(claim);
      if (pod.claims_to_come > 0) --pod.claims_to_come;
    }
  }
  add_generated(tracking::Member(status, "extendedResourceClaimStatus"));
  return pod;
}

}  // namespace

// `set` stores a value and `drop` an object's absence; each says whether anything changed for
// judgements.
template <class T, class Set, class Drop>
ObjectFeed<T> DevicePicture::Feed(Parser<T> parse, Set set, Drop drop) {
  using Change = typename ObjectFeed<T>::Change;
  return ObjectFeed<T>(
      [this, parse](const json& object) {
        return state_.With([&](State& state) { return parse(object, state.context); });
      },
      [this, set, drop](std::vector<Change> changes) {
        const bool changed = state_.With([&](State& state) {
          bool any = false;
          for (Change& change : changes) {
            any |= change.value ? set(state, change.key, *std::move(change.value))
                                : drop(state, change.key);
          }
          return any;
        });
        if (changed) on_change_();
      },
      [this] { on_health_(); });
}

ObjectFeed<PodFacts> DevicePicture::PodFeed() {
  return Feed<PodFacts>(
      &ReadPod,
      [](State& state, const ObjectKey& key, PodFacts pod) {
        const auto known = state.pods.find(key);
        if (known != state.pods.end() && SamePod(known->second, pod)) return false;
        SetPod(state, key, std::move(pod));
        return true;
      },
      [](State& state, const ObjectKey& key) { return DropPod(state, key); });
}

DevicePicture::DevicePicture(DevicePictureOptions options, std::function<void()> on_change,
                             std::function<void()> on_health)
    : options_(std::move(options)),
      on_change_(std::move(on_change)),
      on_health_(std::move(on_health)),
      slices_(Feed<dra::Slice>(
          &dra::ParseSlice,
          [](State& state, const ObjectKey&, dra::Slice slice) {
            state.builder.SetSlice(std::move(slice));
            return true;
          },
          [](State& state, const ObjectKey& key) {
            state.builder.RemoveSlice(dra::Text(key.name));
            return true;
          })),
      classes_(Feed<dra::DeviceClass>(
          &dra::ParseDeviceClass,
          [](State& state, const ObjectKey&, dra::DeviceClass device_class) {
            state.builder.SetClass(std::move(device_class));
            return true;
          },
          [](State& state, const ObjectKey& key) {
            state.builder.RemoveClass(dra::Text(key.name));
            return true;
          })),
      claims_(Feed<dra::Claim>(
          [](const json& object, dra::ParseContext& context) {
            return dra::ParseClaim(object, context);
          },
          [](State& state, const ObjectKey&, dra::Claim claim) {
            state.builder.SetClaim(std::move(claim));
            return true;
          },
          [](State& state, const ObjectKey& key) {
            state.builder.RemoveClaim(key);
            return true;
          })),
      templates_(Feed<dra::ClaimTemplate>(
          [](const json& object, dra::ParseContext& context) {
            return dra::ParseClaimTemplate(object, context);
          },
          [](State& state, const ObjectKey& key, dra::ClaimTemplate claim_template) {
            state.assumed.erase(key);
            state.builder.SetTemplate(std::move(claim_template));
            return true;
          },
          [](State& state, const ObjectKey& key) {
            state.assumed.erase(key);
            state.builder.RemoveTemplate(key);
            return true;
          })),
      taint_rules_(Feed<dra::TaintRule>(
          &dra::ParseTaintRule,
          [](State& state, const ObjectKey&, dra::TaintRule rule) {
            state.builder.SetTaintRule(std::move(rule));
            return true;
          },
          [](State& state, const ObjectKey& key) {
            state.builder.RemoveTaintRule(key.name);
            return true;
          })),
      nodes_(Feed<dra::Node>(
          &dra::ParseNode,
          [](State& state, const ObjectKey& key, dra::Node node) {
            const auto known = state.nodes.find(key.name);
            if (known != state.nodes.end() && SameNode(known->second, node)) return false;
            state.nodes.insert_or_assign(key.name, node);
            state.builder.SetNode(std::move(node));
            return true;
          },
          [](State& state, const ObjectKey& key) {
            state.nodes.erase(key.name);
            state.builder.RemoveNode(dra::Text(key.name));
            return true;
          })),
      pods_(PodFeed()) {}

void DevicePicture::SetRelease(const std::string& git_version, bool taint_rules) {
  const dra::AllocatorFeatures features = FeaturesOf(git_version, taint_rules);
  state_.With([&](State& state) { state.builder = dra::SnapshotBuilder(features); });
}

void DevicePicture::SetPod(State& state, const ObjectKey& key, PodFacts pod) {
  DropPod(state, key);
  state.used = nullptr;
  if (!pod.job.name.empty()) state.pods_of_job[pod.job].push_back(key);
  state.pods.emplace(key, std::move(pod));
}

bool DevicePicture::DropPod(State& state, const ObjectKey& key) {
  const auto found = state.pods.find(key);
  if (found == state.pods.end()) return false;
  if (const auto of_job = state.pods_of_job.find(found->second.job);
      of_job != state.pods_of_job.end()) {
    std::erase(of_job->second, key);
    if (of_job->second.empty()) state.pods_of_job.erase(of_job);
  }
  state.pods.erase(found);
  state.used = nullptr;
  return true;
}

void DevicePicture::Assume(State& state, const Claim& to_come) {
  const auto known = state.assumed.find(to_come.key);
  if (known != state.assumed.end() && known->second == to_come.uid) return;
  const bool is_there = known == state.assumed.end() &&
                        state.builder.Publish()->templates().Find(to_come.key) != nullptr;
  if (is_there) return;
  json object = {{"metadata", {{"namespace", to_come.key.ns}, {"name", to_come.key.name}}}};
  object["spec"] = json::parse(to_come.spec, nullptr, /*allow_exceptions=*/false);
  auto parsed = dra::ParseClaimTemplate(object, state.context);
  if (!parsed) return;  // the manager's watch has said so
  state.builder.SetTemplate(*std::move(parsed));
  state.assumed.insert_or_assign(to_come.key, to_come.uid);
}

void DevicePicture::CountUse(State& state) {
  if (state.used != nullptr) return;
  static const dra::Text kPods("pods");
  NodeUse used;
  for (const auto& [key, pod] : state.pods) {
    if (pod.node.empty() || pod.ended) continue;
    dra::Amounts& amounts = used[pod.node];
    dra::AddAmounts(amounts, pod.requests);
    dra::AddAmounts(amounts, {{kPods, Quantity(1)}});
  }
  state.used = std::make_shared<const NodeUse>(std::move(used));
  ++state.used_serial;
}

std::optional<dra::Reason> DevicePicture::Obstacle() const {
  const auto look = [](const watch::CacheHealth& health, std::string_view what) {
    return WhySilent(health, what);
  };
  if (auto reason = look(slices_.health(), "resourceslices.resource.k8s.io")) return reason;
  if (auto reason = look(claims_.health(), "resourceclaims.resource.k8s.io")) return reason;
  if (auto reason = look(classes_.health(), "deviceclasses.resource.k8s.io")) return reason;
  if (auto reason = look(nodes_.health(), "nodes")) return reason;
  if (auto reason = look(pods_.health(), "pods")) return reason;
  // Without the API there are no rules.
  const watch::CacheHealth rules = taint_rules_.health();
  if (rules.state == watch::CacheState::kNotServed) return std::nullopt;
  return look(rules, "devicetaintrules.resource.k8s.io");
}

bool DevicePicture::IsListing() const {
  const auto listing = [](const watch::CacheHealth& health) {
    return health.state == watch::CacheState::kSyncing && !health.complete;
  };
  return listing(slices_.health()) || listing(nodes_.health()) || listing(taint_rules_.health()) ||
         listing(pods_.health());
}

std::shared_ptr<const dra::Snapshot> DevicePicture::snapshot() const {
  return state_.With([](State& state) { return state.builder.Publish(); });
}

int DevicePicture::SettledPods(const ObjectKey& job) const {
  return state_.With([&](State& state) {
    const auto found = state.pods_of_job.find(job);
    if (found == state.pods_of_job.end()) return 0;
    const auto snapshot = state.builder.Publish();
    // A claim that has not been seen yet is not allocated: pods and claims are watched apart.
    const auto is_allocated = [&](const std::string& name) {
      const auto* claim = snapshot->claims().Find({job.ns, name});
      return claim != nullptr && (*claim)->allocation.has_value();
    };
    const auto is_settled = [&](const ObjectKey& key) {
      const PodFacts& pod = state.pods.at(key);
      if (pod.ended) return true;
      if (pod.claims_to_come > 0) return false;
      if (pod.claims.empty()) return !pod.node.empty();
      return std::all_of(pod.claims.begin(), pod.claims.end(), is_allocated);
    };
    return static_cast<int>(std::count_if(found->second.begin(), found->second.end(), is_settled));
  });
}

DevicePicture::Basis DevicePicture::TakeBasis(const TemplatesToCome& to_come) const {
  return state_.With([&](State& state) {
    for (const auto& claim_template : to_come) Assume(state, *claim_template);
    CountUse(state);
    return Basis{state.builder.Publish(), state.used, state.used_serial};
  });
}

std::unique_ptr<DevicePicture::Caches> DevicePicture::TakeCaches() const {
  return idle_caches_.With([](std::vector<std::unique_ptr<Caches>>& idle) {
    if (idle.empty()) return std::make_unique<Caches>();
    auto taken = std::move(idle.back());
    idle.pop_back();
    return taken;
  });
}

dra::Judgement DevicePicture::JudgeOn(const Basis& basis, const std::string& ns,
                                      const std::vector<dra::PodDemand>& demands,
                                      std::vector<dra::InFlightPods> in_flight) const {
  dra::JudgeOptions options;
  options.in_flight = std::move(in_flight);
  options.node_resources = options_.node_resources;
  options.used = basis.used.get();
  if (!options_.scalable_pools.empty()) options.scalable_pools = &options_.scalable_pools;
  auto caches = TakeCaches();
  dra::Judgement judgement = dra::Judge(
      ns, demands, *basis.snapshot, {caches->selectors, caches->matches, &caches->memory}, options);
  idle_caches_.With([&](std::vector<std::unique_ptr<Caches>>& idle) {
    if (idle.size() < kMaxIdleCaches) idle.push_back(std::move(caches));
  });
  return judgement;
}

dra::Judgement DevicePicture::Judge(const std::string& ns,
                                    const std::vector<dra::PodDemand>& demands,
                                    std::vector<dra::InFlightPods> in_flight,
                                    const TemplatesToCome& to_come) const {
  return JudgeOn(TakeBasis(to_come), ns, demands, std::move(in_flight));
}

dra::Verdict DevicePicture::Verdict(const std::string& ns, const tracking::Demands& demands,
                                    std::vector<dra::InFlightPods> in_flight,
                                    const TemplatesToCome& to_come) const {
  const Basis basis = TakeBasis(to_come);
  const uint64_t generation = basis.snapshot->generation();
  auto known = remembered_.With([&](const auto& remembered) -> std::optional<dra::Verdict> {
    const auto found = remembered.find(demands);
    if (found == remembered.end() || found->second.snapshot != generation ||
        found->second.used != basis.used_serial || found->second.in_flight != in_flight)
      return std::nullopt;
    return found->second.verdict;
  });
  if (known) return *std::move(known);
  dra::Verdict verdict = JudgeOn(basis, ns, *demands, in_flight).verdict;
  remembered_.With([&](auto& remembered) {
    if (remembered.size() >= kMaxRemembered) remembered.clear();
    remembered.insert_or_assign(
        demands, Remembered{generation, basis.used_serial, std::move(in_flight), verdict});
  });
  return verdict;
}

}  // namespace fedra::verify
