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
constexpr size_t kMaxRemembered = 4096;
constexpr std::string_view kJobNameLabel = "batch.kubernetes.io/job-name";

dra::AllocatorFeatures FeaturesOf(const std::string& git_version) {
  const auto release = cel::ParseRelease(git_version);
  dra::AllocatorFeatures features = release ? dra::FeaturesOf(*release) : dra::AllocatorFeatures{};
  // The API of rules is served only where the feature is on.
  features.device_taint_rules = true;
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
  return a.node == b.node && a.ended == b.ended && a.claims == b.claims;
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
  const json& claims = tracking::Member(status, "resourceClaimStatuses");
  if (claims.is_array()) {
    for (const json& claim : claims) {
      std::string name = tracking::Text(claim, "resourceClaimName");
      if (!name.empty()) pod.claims.push_back(std::move(name));
    }
  }
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

void DevicePicture::SetRelease(const std::string& git_version) {
  state_.With([&](State& state) { state.builder = dra::SnapshotBuilder(FeaturesOf(git_version)); });
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

std::shared_ptr<const DevicePicture::NodeUse> DevicePicture::CountUse(State& state) {
  if (state.used != nullptr) return state.used;
  static const dra::Text kPods("pods");
  NodeUse used;
  for (const auto& [key, pod] : state.pods) {
    if (pod.node.empty() || pod.ended) continue;
    dra::Amounts& amounts = used[pod.node];
    dra::AddAmounts(amounts, pod.requests);
    dra::AddAmounts(amounts, {{kPods, Quantity(1)}});
  }
  return state.used = std::make_shared<const NodeUse>(std::move(used));
}

std::optional<dra::Reason> DevicePicture::Obstacle() const {
  const auto look = [](const watch::CacheHealth& health, std::string_view what) {
    return WhySilent(health, what);
  };
  if (auto reason = look(slices_.health(), "resourceslices.resource.k8s.io")) return reason;
  if (auto reason = look(claims_.health(), "resourceclaims.resource.k8s.io")) return reason;
  if (auto reason = look(nodes_.health(), "nodes")) return reason;
  if (wants_pods())
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
         (wants_pods() && listing(pods_.health()));
}

std::shared_ptr<const dra::Snapshot> DevicePicture::snapshot() const {
  return state_.With([](State& state) { return state.builder.Publish(); });
}

int DevicePicture::SettledPods(const ObjectKey& job) const {
  return state_.With([&](State& state) {
    const auto found = state.pods_of_job.find(job);
    if (found == state.pods_of_job.end()) return 0;
    const auto snapshot = state.builder.Publish();
    const auto is_allocated = [&](const std::string& name) {
      const auto* claim = snapshot->claims().Find({job.ns, name});
      return claim == nullptr || (*claim)->allocation.has_value();
    };
    return static_cast<int>(
        std::count_if(found->second.begin(), found->second.end(), [&](const ObjectKey& key) {
          const PodFacts& pod = state.pods.at(key);
          return pod.ended || (!pod.node.empty() &&
                               std::all_of(pod.claims.begin(), pod.claims.end(), is_allocated));
        }));
  });
}

std::shared_ptr<const dra::Judgement> DevicePicture::Judge(const std::string& ns,
                                                           const tracking::Demands& demands,
                                                           std::vector<dra::InFlightPods> in_flight,
                                                           const TemplatesToCome& to_come) const {
  const auto [snapshot, used] = state_.With([&](State& state) {
    for (const auto& claim_template : to_come) Assume(state, *claim_template);
    return std::pair(state.builder.Publish(), CountUse(state));
  });
  dra::JudgeOptions options;
  options.in_flight = std::move(in_flight);
  options.node_resources = options_.node_resources;
  options.used = used.get();
  if (!options_.scalable_pools.empty()) options.scalable_pools = &options_.scalable_pools;
  return caches_.With([&](Caches& caches) {
    if (const auto known = caches.remembered.find(demands);
        known != caches.remembered.end() && known->second.snapshot == snapshot &&
        known->second.used == used && known->second.in_flight == options.in_flight)
      return known->second.judgement;
    auto judgement = std::make_shared<const dra::Judgement>(
        dra::Judge(ns, *demands, *snapshot, {caches.selectors, caches.matches}, options));
    if (caches.remembered.size() >= kMaxRemembered) caches.remembered.clear();
    caches.remembered.insert_or_assign(
        demands, Remembered{snapshot, used, std::move(options.in_flight), judgement});
    return judgement;
  });
}

}  // namespace fedra::verify
