#include "dra/judge/room_explainer.h"

#include <algorithm>
#include <map>

#include "dra/judge/extended.h"
#include "dra/judge/joint_explainer.h"

namespace fedra::dra {

using verdict::Outcome;
using verdict::Reason;
using verdict::ReasonCode;
using verdict::ResourceShortage;

namespace {

std::string_view DomainOf(std::string_view resource) {
  return resource.substr(0, resource.find('/'));
}

}  // namespace

RoomExplainer::Nodes RoomExplainer::Examine() const {
  std::map<Symbol, ResourceShortage> all, with_devices;
  Nodes nodes;
  bool never_all = true;
  int count_with_devices = 0;
  const auto add = [](const NodeAnswer& answer, std::map<Symbol, ResourceShortage>& shortages) {
    ResourceShortage& shortage = shortages[answer.resource];
    shortage.resource = answer.resource.str();
    shortage.asked = answer.asked;
    shortage.free = std::max(shortage.free, answer.free);
    shortage.largest = std::max(shortage.largest, answer.all);
    ++shortage.nodes;
  };
  for (const auto& [node, answer] : trace_.found.no_room) {
    const bool never = answer.all < answer.asked;
    add(answer, all);
    never_all = never_all && never;
    const PodClaims& pod = trace_.resolved.variants.For(*node).pod;
    if (!pod.claims.empty() && !FitsWith(context_, placed_, *node, pod, {})) continue;
    ++count_with_devices;
    add(answer, with_devices);
    nodes.never = nodes.never && never;
  }
  nodes.have_devices = count_with_devices > 0;
  nodes.count =
      nodes.have_devices ? count_with_devices : static_cast<int>(trace_.found.no_room.size());
  if (!nodes.have_devices) nodes.never = never_all;
  for (auto& [name, shortage] : nodes.have_devices ? with_devices : all)
    nodes.shortages.push_back(std::move(shortage));
  return nodes;
}

bool RoomExplainer::IsNowhere(const Symbol& resource) const {
  if (context_.features().extended_resources && IsExtendedResource(resource.view()) &&
      ClassOfResource(context_.snapshot, resource))
    return false;
  bool nowhere = true;
  context_.snapshot.nodes().ForEach([&](const Symbol&, const auto& node) {
    const Quantity* allocatable = node->Allocatable(resource.view());
    nowhere = nowhere && (!allocatable || allocatable->Sign() <= 0);
  });
  return nowhere;
}

// A name of the same domain under which the worker has something; empty: there is none.
std::string RoomExplainer::MeantInstead(const Symbol& resource) const {
  const std::string_view domain = DomainOf(resource.view());
  std::string by_class, implicit, by_node;
  const auto note = [](std::string& best, std::string name) {
    if (best.empty() || name < best) best = std::move(name);
  };
  context_.snapshot.classes().ForEach([&](const Symbol& name, const auto& device_class) {
    const Symbol& mapped = device_class->extended_resource;
    if (!mapped.empty() && (DomainOf(mapped.view()) == domain || name.view() == domain))
      note(by_class, mapped.str());
    if (name.view() == domain) note(implicit, std::string(kImplicitResourcePrefix) + name.str());
  });
  context_.snapshot.nodes().ForEach([&](const Symbol&, const auto& node) {
    for (const auto& [name, amount] : node->allocatable)
      if (amount.Sign() > 0 && IsExtendedResource(name.view()) && DomainOf(name.view()) == domain)
        note(by_node, name.str());
  });
  if (!context_.features().extended_resources) return by_node;
  return !by_class.empty() ? by_class : !by_node.empty() ? by_node : implicit;
}

Reason RoomExplainer::Missing(const ResourceShortage& shortage) const {
  using Source = verdict::NoSuchResource::Source;
  const bool from_classes = context_.features().extended_resources;
  const Symbol resource(shortage.resource);
  verdict::NoSuchResource facts{.resource = shortage};
  if (resource.view().starts_with(kImplicitResourcePrefix)) {
    facts.source = from_classes ? Source::kImplicit : Source::kRelease;
    if (from_classes) facts.device_class = shortage.resource.substr(kImplicitResourcePrefix.size());
  } else if (IsExtendedResource(resource.view())) {
    if (from_classes) {
      facts.source = Source::kNoClass;
    } else if (const auto named = ClassOfResource(context_.snapshot, resource)) {
      facts.source = Source::kRelease;
      facts.device_class = named->name.str();
    }
    facts.meant = MeantInstead(resource);
  }
  return {ReasonCode::kResourceMissing, {}, std::move(facts)};
}

Reason RoomExplainer::TooSmall(const Nodes& nodes) const {
  const PodSetReport& report = trace_.report;
  const bool some = nodes.have_devices && !trace_.resolved.variants.Plain().pod.claims.empty() &&
                    nodes.count < std::ssize(trace_.resolved.nodes);
  using enum verdict::NodeRoom::Cause;
  return {ReasonCode::kNodesTooSmall,
          {},
          verdict::NodeRoom{.cause = nodes.never && report.fitting == 0 ? kTooSmall : kTooSmallAll,
                            .resources = nodes.shortages,
                            .have_devices = some,
                            .fitting = report.fitting,
                            .wanted = report.wanted}};
}

Reason RoomExplainer::Busy(const Nodes& nodes) const {
  return {ReasonCode::kNodeResources,
          {},
          verdict::NodeRoom{.cause = verdict::NodeRoom::Cause::kBusy,
                            .resources = nodes.shortages,
                            .have_devices = nodes.have_devices,
                            .nodes = nodes.count,
                            .of = static_cast<int>(trace_.resolved.nodes.size())}};
}

RoomAnswer RoomExplainer::Explain(Explanation& explanation) const {
  if (trace_.found.no_room.empty()) return RoomAnswer::kNothing;
  const Nodes nodes = Examine();
  const auto add = [&](Reason reason) { explanation.Add(Outcome::kNo, std::move(reason)); };
  bool missing = false;
  for (const ResourceShortage& shortage : nodes.shortages) {
    if (shortage.largest.Sign() > 0 || !IsNowhere(Symbol(shortage.resource))) continue;
    missing = true;
    add(Missing(shortage));
  }
  if (missing) {
    explanation.no_room = explanation.reasons.back();
    return RoomAnswer::kMissing;
  }
  const bool first = nodes.have_devices || trace_.nearest.node == nullptr;
  if (waiting_.IsFreeCluster()) {
    add(TooSmall(nodes));
    if (first) explanation.no_room = explanation.reasons.back();
    return first ? RoomAnswer::kMissing : RoomAnswer::kNothing;
  }
  if (ExplainTooSmall(explanation)) return RoomAnswer::kMissing;
  add(Busy(nodes));
  if (!first) return RoomAnswer::kNothing;
  return waiting_.IsEnough() ? RoomAnswer::kAll : RoomAnswer::kMissing;
}

bool RoomExplainer::ExplainTooSmall(Explanation& explanation) const {
  const Reason* reason = waiting_.TooSmall();
  if (reason == nullptr) return false;
  explanation.Add(Outcome::kNo, *reason);
  return true;
}

}  // namespace fedra::dra
