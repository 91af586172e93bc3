#pragma once
//
// The names of all facts and of their fields, once for everything that goes through them: JSON in
// both directions, hashes. Names are stable: they are in the store and in what programs read.
//
// Pure; internal to those few users, for it is all templates.

#include <array>
#include <string_view>
#include <variant>

#include "verdict/device_fields.h"
#include "verdict/fact_names.h"
#include "verdict/reason.h"

namespace fedra::verdict {

// In the order of the alternatives of Facts.
inline constexpr std::array<std::string_view, std::variant_size_v<Facts::Variant>> kFactTypes = {
    "Sentence",        "Missing",           "Unreadable",     "Drift",          "Quota",
    "Undeclared",      "MissingLabel",      "QueueStopped",   "QueueInactive",  "ApiVersion",
    "NameTaken",       "Connection",        "ClaimPlace",     "OtherScheduler", "Gang",
    "BroadTaintRules", "NotAllowed",        "InLine",         "Reserved",       "Setback",
    "DeviceCounts",    "AlternativeCounts", "BrokenSelector", "JointShortage",  "NodeRoom",
    "NoSuchResource",  "NodeCounts",        "PodsFit",        "FullClaim",      "Unbindable",
    "SchedulerError",  "SearchLimit",       "GroupTerms",     "Cordoned",       "MovedAway",
    "ReleaseDoubt",    "PodTerms",          "EarlierPods"};
static_assert(!kFactTypes.back().empty(), "all have a name");

// Calls `visit(name, field)` for each. One overload for every struct of facts.
template <class V>
void ForEachField(Like<ObjectKey> auto& f, V&& visit) {
  visit("namespace", f.ns);
  visit("name", f.name);
}
template <class V>
void ForEachField(Like<Sentence> auto& f, V&& visit) {
  visit("text", f.text);
}
template <class V>
void ForEachField(Like<Unreadable> auto& f, V&& visit) {
  visit("resource", f.resource);
  visit("cause", f.cause);
  visit("error", f.error);
}
template <class V>
void ForEachField(Like<Missing> auto& f, V&& visit) {
  visit("kind", f.kind);
  visit("key", f.key);
  visit("namedBy", f.named_by);
  visit("beingDeleted", f.being_deleted);
  visit("copy", f.copy);
  visit("error", f.error);
  visit("unknown", f.unknown);
}
template <class V>
void ForEachField(Like<Drift::Field> auto& f, V&& visit) {
  visit("path", f.path);
  visit("there", f.there);
  visit("here", f.here);
}
template <class V>
void ForEachField(Like<Drift> auto& f, V&& visit) {
  visit("object", f.object);
  visit("fields", f.fields);
  visit("total", f.total);
}
template <class V>
void ForEachField(Like<Quota> auto& f, V&& visit) {
  visit("queue", f.queue);
  visit("limit", f.limit);
  visit("resource", f.resource);
  visit("podSet", f.pod_set);
  visit("pods", f.pods);
  visit("asked", f.asked);
  visit("most", f.most);
  visit("reserved", f.reserved);
  visit("dispatched", f.dispatched);
}
template <class V>
void ForEachField(Like<Undeclared> auto& f, V&& visit) {
  visit("claim", f.claim);
  visit("capability", f.capability);
}
template <class V>
void ForEachField(Like<MissingLabel> auto& f, V&& visit) {
  visit("claim", f.claim);
  visit("label", f.label);
}
template <class V>
void ForEachField(Like<QueueStopped::Stop> auto& f, V&& visit) {
  visit("queue", f.queue);
  visit("drains", f.drains);
}
template <class V>
void ForEachField(Like<QueueStopped> auto& f, V&& visit) {
  visit("stops", f.stops);
}
template <class V>
void ForEachField(Like<QueueInactive> auto& f, V&& visit) {
  visit("queue", f.queue);
  visit("error", f.error);
}
template <class V>
void ForEachField(Like<ApiVersion> auto& f, V&& visit) {
  visit("group", f.group);
  visit("served", f.served);
}
template <class V>
void ForEachField(Like<NameTaken> auto& f, V&& visit) {
  visit("object", f.object);
  visit("byOtherManager", f.by_other_manager);
}
template <class V>
void ForEachField(Like<Connection> auto& f, V&& visit) {
  visit("state", f.state);
  visit("error", f.error);
  visit("since", f.since);
  visit("triedForMilliseconds", f.tried_for_ms);
}
template <class V>
void ForEachField(Like<ClaimPlace> auto& f, V&& visit) {
  visit("claim", f.claim);
  visit("workers", f.workers);
  visit("user", f.user);
}
template <class V>
void ForEachField(Like<OtherScheduler> auto& f, V&& visit) {
  visit("name", f.name);
}
template <class V>
void ForEachField(Like<Gang> auto& f, V&& visit) {
  visit("group", f.group);
  visit("minCount", f.min_count);
  visit("pods", f.pods);
  visit("there", f.there);
}
template <class V>
void ForEachField(Like<GroupTerms> auto& f, V&& visit) {
  visit("group", f.group);
  visit("fields", f.fields);
}
template <class V>
void ForEachField(Like<ReleaseDoubt> auto& f, V&& visit) {
  visit("kind", f.kind);
  visit("release", f.release);
  visit("fields", f.fields);
  visit("version", f.version);
}
template <class V>
void ForEachField(Like<PodTerms> auto& f, V&& visit) {
  visit("podSet", f.pod_set);
  visit("fields", f.fields);
}
template <class V>
void ForEachField(Like<BroadTaintRules> auto& f, V&& visit) {
  visit("rules", f.rules);
  visit("first", f.first);
}
template <class V>
void ForEachField(Like<NotAllowed> auto& f, V&& visit) {
  visit("check", f.check);
}
template <class V>
void ForEachField(Like<Cordoned> auto& f, V&& visit) {
  visit("drains", f.drains);
  visit("reason", f.reason);
}
template <class V>
void ForEachField(Like<MovedAway> auto& f, V&& visit) {
  visit("to", f.to);
  visit("until", f.until);
}
template <class V>
void ForEachField(Like<InLine> auto& f, V&& visit) {
  visit("ahead", f.ahead);
  visit("first", f.first);
  visit("priority", f.priority);
  visit("order", f.order);
}
template <class V>
void ForEachField(Like<Reserved> auto& f, V&& visit) {
  visit("spare", f.spare);
  visit("reserved", f.reserved);
  visit("job", f.job);
}
template <class V>
void ForEachField(Like<Setback> auto& f, V&& visit) {
  visit("message", f.message);
  visit("at", f.at);
  visit("pausedUntil", f.paused_until);
}

}  // namespace fedra::verdict
