#pragma once
//
// The part of fact_fields.h about devices and nodes.

#include "verdict/fact_names.h"

namespace fedra::verdict {

template <class V>
void ForEachField(Like<CapacityNeed> auto& f, V&& visit) {
  visit("capacity", f.capacity);
  visit("need", f.need);
  visit("left", f.left);
  visit("refused", f.refused);
  visit("device", f.device);
}
template <class V>
void ForEachField(Like<Holder> auto& f, V&& visit) {
  visit("isJob", f.is_job);
  visit("name", f.name);
}
template <class V>
void ForEachField(Like<CountedCause> auto& f, V&& visit) {
  visit("rule", f.rule);
  visit("devices", f.devices);
  visit("detail", f.detail);
  visit("holders", f.holders);
  visit("allHolders", f.all_holders);
  visit("needs", f.needs);
}
template <class V>
void ForEachField(Like<RequestedDevices> auto& f, V&& visit) {
  visit("request", f.request);
  visit("claim", f.claim);
  visit("deviceClass", f.device_class);
  visit("count", f.count);
  visit("all", f.all);
}
template <class V>
void ForEachField(Like<WithAllFree> auto& f, V&& visit) {
  visit("fitting", f.fitting);
  visit("wanted", f.wanted);
}
template <class V>
void ForEachField(Like<Shortfall> auto& f, V&& visit) {
  visit("pods", f.pods);
  visit("needed", f.needed);
  visit("there", f.there);
  visit("areAll", f.are_all);
}
template <class V>
void ForEachField(Like<DeviceCounts> auto& f, V&& visit) {
  visit("requested", f.requested);
  visit("devices", f.devices);
  visit("parts", f.parts);
  visit("shortfall", f.shortfall);
  visit("withAllFree", f.with_all_free);
}
template <class V>
void ForEachField(Like<AlternativeCounts::Alternative> auto& f, V&& visit) {
  visit("code", f.code);
  visit("counts", f.counts);
}
template <class V>
void ForEachField(Like<AlternativeCounts> auto& f, V&& visit) {
  visit("request", f.request);
  visit("claim", f.claim);
  visit("alternatives", f.alternatives);
  visit("all", f.all);
  visit("shortfall", f.shortfall);
  visit("withAllFree", f.with_all_free);
}
template <class V>
void ForEachField(Like<BrokenSelector> auto& f, V&& visit) {
  visit("request", f.request);
  visit("claim", f.claim);
  visit("error", f.error);
}
template <class V>
void ForEachField(Like<JointShortage::Amount> auto& f, V&& visit) {
  visit("devices", f.devices);
  visit("counter", f.counter);
  visit("need", f.need);
  visit("forAll", f.for_all);
}
template <class V>
void ForEachField(Like<JointShortage::Found> auto& f, V&& visit) {
  visit("request", f.request);
  visit("claim", f.claim);
  visit("free", f.free);
  visit("count", f.count);
  visit("all", f.all);
}
template <class V>
void ForEachField(Like<JointShortage> auto& f, V&& visit) {
  visit("cause", f.cause);
  visit("node", f.node);
  visit("withRoom", f.with_room);
  visit("constraints", f.constraints);
  visit("amounts", f.amounts);
  visit("found", f.found);
  visit("requests", f.requests);
  visit("eachAlone", f.each_alone);
  visit("withAllFree", f.with_all_free);
}
template <class V>
void ForEachField(Like<ResourceShortage> auto& f, V&& visit) {
  visit("resource", f.resource);
  visit("asked", f.asked);
  visit("free", f.free);
  visit("largest", f.largest);
  visit("nodes", f.nodes);
}
template <class V>
void ForEachField(Like<NodeRoom> auto& f, V&& visit) {
  visit("cause", f.cause);
  visit("resources", f.resources);
  visit("haveDevices", f.have_devices);
  visit("nodes", f.nodes);
  visit("of", f.of);
  visit("fitting", f.fitting);
  visit("wanted", f.wanted);
}
template <class V>
void ForEachField(Like<NoSuchResource> auto& f, V&& visit) {
  visit("resource", f.resource);
  visit("source", f.source);
  visit("deviceClass", f.device_class);
  visit("meant", f.meant);
}
template <class V>
void ForEachField(Like<NodeCounts::Refused> auto& f, V&& visit) {
  visit("why", f.refusal.why);
  visit("detail", f.refusal.detail);
  visit("error", f.refusal.error);
  visit("nodes", f.nodes);
}
template <class V>
void ForEachField(Like<NodeCounts> auto& f, V&& visit) {
  visit("nodes", f.nodes);
  visit("withDevices", f.with_devices);
  visit("refused", f.refused);
  visit("first", f.first);
}
template <class V>
void ForEachField(Like<EarlierPods> auto& f, V&& visit) {
  visit("byChance", f.by_chance);
  visit("earlier", f.earlier);
  visit("nodes", f.nodes);
  visit("moreNodes", f.more_nodes);
  visit("podSet", f.pod_set);
  visit("fitting", f.fitting);
  visit("wanted", f.wanted);
}
template <class V>
void ForEachField(Like<PodsFit> auto& f, V&& visit) {
  visit("fitting", f.fitting);
  visit("wanted", f.wanted);
  visit("othersUntried", f.others_untried);
}
template <class V>
void ForEachField(Like<FullClaim> auto& f, V&& visit) {
  visit("claim", f.claim);
  visit("most", f.most);
  visit("before", f.before);
  visit("placed", f.placed);
}
template <class V>
void ForEachField(Like<Unbindable> auto& f, V&& visit) {
  visit("claim", f.claim);
  visit("nodes", f.nodes);
  visit("of", f.of);
}
template <class V>
void ForEachField(Like<SchedulerError> auto& f, V&& visit) {
  visit("node", f.node);
  visit("error", f.error);
  visit("pods", f.pods);
  visit("podSet", f.pod_set);
  visit("byChance", f.by_chance);
}
template <class V>
void ForEachField(Like<SearchLimit> auto& f, V&& visit) {
  visit("kind", f.kind);
  visit("where", f.where);
  visit("steps", f.steps);
  visit("most", f.most);
  visit("fitting", f.fitting);
  visit("wanted", f.wanted);
}
template <class V>
void ForEachField(Like<NewNodes> auto& f, V&& visit) {
  visit("nodes", f.nodes);
  visit("devices", f.devices);
  visit("labels", f.labels);
}

}  // namespace fedra::verdict
