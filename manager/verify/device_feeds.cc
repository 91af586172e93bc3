#include "manager/verify/device_feeds.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

namespace fedra::verify {
namespace {

using nlohmann::json;

// Whether pods or claims changed, passed through.
bool CountPodChange(DeviceObjects& objects, bool changed) {
  if (changed) ++objects.holding_version;
  return changed;
}

DeviceChange AsChange(bool changed, DeviceChange change) {
  return changed ? change : DeviceChange::kNone;
}
DeviceChange AsChange(DeviceChange change, DeviceChange) { return change; }

}  // namespace

// `set` stores a value and `drop` an object's absence; each says whether anything changed for
// judgements, or what.
template <class T, class Set, class Drop>
ObjectFeed<T> DeviceFeeds::Feed(Parser<T> parse, Set set, Drop drop) {
  using Change = typename ObjectFeed<T>::Change;
  constexpr bool kOffers = std::is_same_v<T, dra::Slice> || std::is_same_v<T, dra::DeviceClass> ||
                           std::is_same_v<T, dra::TaintRule> || std::is_same_v<T, dra::Node>;
  constexpr DeviceChange kChange = kOffers ? DeviceChange::kOffer : DeviceChange::kFreed;
  return ObjectFeed<T>(
      [this, parse](const json& object) {
        return devices_.parsing.With(
            [&](dra::ParseContext& context) { return parse(object, context); });
      },
      [this, set, drop](std::vector<Change> changes) {
        const DeviceChange most = devices_.objects.With([&](DeviceObjects& objects) {
          DeviceChange all = DeviceChange::kNone;
          for (Change& change : changes) {
            all = std::max(
                all, change.value
                         ? AsChange(set(objects, change.key, *std::move(change.value)), kChange)
                         : AsChange(drop(objects, change.key), kChange));
          }
          return all;
        });
        if (most != DeviceChange::kNone) on_change_(most);
      },
      [this] { on_health_(); });
}

// A claim without devices concerns those that name it, who watch it themselves.
ObjectFeed<dra::Claim> DeviceFeeds::ClaimFeed() {
  return Feed<dra::Claim>(
      [](const json& object, dra::ParseContext& context) {
        return dra::ParseClaim(object, context);
      },
      [](DeviceObjects& objects, const ObjectKey& key, dra::Claim claim) {
        const bool was = objects.builder.IsAllocated(key);
        const bool concerns_all = claim.allocation || was;
        if (!CountPodChange(objects, objects.builder.SetClaim(std::move(claim))) || !concerns_all)
          return DeviceChange::kNone;
        return was ? DeviceChange::kFreed : DeviceChange::kTaken;
      },
      [](DeviceObjects& objects, const ObjectKey& key) {
        const bool concerns_all = objects.builder.IsAllocated(key);
        return CountPodChange(objects, objects.builder.RemoveClaim(key)) && concerns_all;
      });
}

// They concern those that name them, who watch them themselves.
ObjectFeed<dra::ClaimTemplate> DeviceFeeds::TemplateFeed() {
  return Feed<dra::ClaimTemplate>(
      [](const json& object, dra::ParseContext& context) {
        return dra::ParseClaimTemplate(object, context);
      },
      [](DeviceObjects& objects, const ObjectKey&, dra::ClaimTemplate claim_template) {
        objects.builder.SetTemplate(std::move(claim_template));
        return false;
      },
      [](DeviceObjects& objects, const ObjectKey& key) {
        objects.builder.RemoveTemplate(key);
        return false;
      });
}

ObjectFeed<dra::TaintRule> DeviceFeeds::TaintRuleFeed() {
  return Feed<dra::TaintRule>(
      &dra::ParseTaintRule,
      [](DeviceObjects& objects, const ObjectKey& key, dra::TaintRule rule) {
        objects.broad_rules.erase(key.name);
        if (rule.taints_fewer) objects.broad_rules.insert(key.name);
        return objects.builder.SetTaintRule(std::move(rule));
      },
      [](DeviceObjects& objects, const ObjectKey& key) {
        objects.broad_rules.erase(key.name);
        return objects.builder.RemoveTaintRule(key.name);
      });
}

ObjectFeed<PodFacts> DeviceFeeds::PodFeed() {
  return Feed<PodFacts>(
      [kinds = kinds_](const json& object, dra::ParseContext& context) {
        return ParsePodFacts(object, *kinds, context);
      },
      [](DeviceObjects& objects, const ObjectKey& key, PodFacts pod) {
        const bool ended = pod.ended;
        if (!CountPodChange(objects, objects.pods.Set(key, std::move(pod))))
          return DeviceChange::kNone;
        return ended ? DeviceChange::kFreed : DeviceChange::kTaken;
      },
      [](DeviceObjects& objects, const ObjectKey& key) {
        return CountPodChange(objects, objects.pods.Drop(key));
      });
}

// A group's conditions change while its pods come and go; only its claims count.
ObjectFeed<dra::PodGroup> DeviceFeeds::PodGroupFeed() {
  return Feed<dra::PodGroup>(
      [](const json& object, dra::ParseContext&) { return dra::ParsePodGroup(object); },
      [](DeviceObjects& objects, const ObjectKey& key, dra::PodGroup group) {
        const auto known = objects.pod_groups.find(key);
        if (known != objects.pod_groups.end() && known->second == group) return false;
        objects.pod_groups.insert_or_assign(key, std::move(group));
        return true;
      },
      [](DeviceObjects& objects, const ObjectKey& key) {
        return objects.pod_groups.erase(key) > 0;
      });
}

DeviceFeeds::DeviceFeeds(tracking::JobKindsPtr kinds, GuardedDevices& devices,
                         std::function<void(DeviceChange)> on_change,
                         std::function<void()> on_health)
    : kinds_(std::move(kinds)),
      devices_(devices),
      on_change_(std::move(on_change)),
      on_health_(std::move(on_health)),
      slices_(Feed<dra::Slice>(
          &dra::ParseSlice,
          [](DeviceObjects& objects, const ObjectKey&, dra::Slice slice) {
            return objects.builder.SetSlice(std::move(slice));
          },
          [](DeviceObjects& objects, const ObjectKey& key) {
            return objects.builder.RemoveSlice(dra::Symbol(key.name));
          })),
      classes_(Feed<dra::DeviceClass>(
          &dra::ParseDeviceClass,
          [](DeviceObjects& objects, const ObjectKey&, dra::DeviceClass device_class) {
            return objects.builder.SetClass(std::move(device_class));
          },
          [](DeviceObjects& objects, const ObjectKey& key) {
            return objects.builder.RemoveClass(dra::Symbol(key.name));
          })),
      claims_(ClaimFeed()),
      templates_(TemplateFeed()),
      taint_rules_(TaintRuleFeed()),
      pod_groups_(PodGroupFeed()),
      nodes_(Feed<dra::Node>(
          &dra::ParseNode,
          [](DeviceObjects& objects, const ObjectKey&, dra::Node node) {
            return objects.builder.SetNode(std::move(node));
          },
          [](DeviceObjects& objects, const ObjectKey& key) {
            return objects.builder.RemoveNode(dra::Symbol(key.name));
          })),
      pods_(PodFeed()) {}

DeviceSinks DeviceFeeds::sinks() {
  return {.slices = slices_,
          .classes = classes_,
          .claims = claims_,
          .templates = templates_,
          .taint_rules = taint_rules_,
          .pod_groups = pod_groups_,
          .nodes = nodes_,
          .pods = pods_};
}

std::vector<NamedHealth> DeviceFeeds::Healths() const {
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

}  // namespace fedra::verify
