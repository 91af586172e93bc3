// Nodes, and what the scheduler does on them, in words.

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "verdict/fact_text.h"

namespace fedra::verdict {
namespace {

// "each pod asks for 4000 cpu, the largest node has 64".
std::string AgainstLargest(const ResourceShortage& shortage) {
  const std::string& resource = shortage.resource;
  const std::string largest = ReadableAmount(resource, shortage.largest);
  if (resource == "pods") return fmt::format("the largest node takes {} pods", largest);
  return fmt::format("each pod asks for {} {}{}", ReadableAmount(resource, shortage.asked),
                     resource,
                     shortage.largest.Sign() <= 0 ? std::string(", and they have none")
                                                  : ", the largest node has " + largest);
}

// "each pod asks for 8 cpu, at most 3 is free on one node".
std::string AgainstFree(const ResourceShortage& shortage) {
  const std::string& resource = shortage.resource;
  if (resource == "pods")
    return fmt::format("they run as many pods as they may (at most {} on one node)",
                       ReadableAmount(resource, shortage.largest));
  return fmt::format("each pod asks for {} {}, {} is free on one node",
                     ReadableAmount(resource, shortage.asked), resource,
                     shortage.free.Sign() <= 0
                         ? std::string("none")
                         : "at most " + ReadableAmount(resource, shortage.free));
}

// "each pod asks for 8 cpu, at most 3 is free on one node (2 nodes); ..."
std::string ShortagesText(const NodeRoom& room) {
  std::string all;
  for (const ResourceShortage& shortage : room.resources) {
    all += all.empty() ? "" : "; ";
    all += room.cause == NodeRoom::Cause::kBusy ? AgainstFree(shortage) : AgainstLargest(shortage);
    if (room.resources.size() > 1) all += " (" + Counted(shortage.nodes, "node") + ")";
  }
  return all;
}

std::string RefusalText(const NodeRefusal& refusal) {
  switch (refusal.why) {
    case NodeRefusal::Why::kAffinity:
      return "didn't match node affinity";
    case NodeRefusal::Why::kSelector:
      return "didn't match nodeSelector " + refusal.detail;
    case NodeRefusal::Why::kClaim:
      return fmt::format("excluded because {} {}", refusal.detail,
                         refusal.error.empty() ? "is allocated elsewhere"
                                               : "could not be bound (" + refusal.error + ")");
    case NodeRefusal::Why::kTaint:
      return "had untolerated taint " + refusal.detail;
    case NodeRefusal::Why::kAffinityError:
      return "node affinity cannot be evaluated: " + refusal.error;
    case NodeRefusal::Why::kUnschedulable:
      break;
    case NodeRefusal::Why::kUnusedClaim:
      return fmt::format(
          "because no container uses {}, whose devices take some of the node's resources",
          refusal.detail);
    case NodeRefusal::Why::kPodRequest:
      return fmt::format(
          "because the pod's own request for {} does not cover its containers and devices",
          refusal.detail);
    case NodeRefusal::Why::kClaimOfOther:
      return fmt::format("because another pod holds resources of the node through {}",
                         refusal.detail);
  }
  return "unschedulable";
}

// "node n1", "nodes n1, n2 and 3 more".
std::string NodesText(const std::vector<std::string>& first, int more) {
  const size_t all = first.size() + static_cast<size_t>(more);
  return fmt::format("{} {}{}", all == 1 ? "node" : "nodes", fmt::join(first, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

constexpr const char* kByChance = "; whether it comes to that depends on which nodes it prefers";

}  // namespace

std::string ReadableAmount(std::string_view resource, const Quantity& amount) {
  const bool bytes = resource == "memory" || resource.ends_with("storage") ||
                     resource.starts_with("hugepages-") || resource.ends_with("memory");
  if (!bytes) {
    const int64_t milli = amount.MilliValue();
    if (milli == INT64_MAX) return amount.ToString();
    return milli % 1000 == 0 ? std::to_string(milli / 1000) : std::to_string(milli) + "m";
  }
  // "64Gi" is kept; "65843972Ki" is hard to read.
  std::string exact = amount.ToString();
  constexpr size_t kReadable = 6;
  if (exact.size() <= kReadable) return exact;
  constexpr std::array<std::string_view, 5> kUnits = {"", "Ki", "Mi", "Gi", "Ti"};
  int64_t tenths = amount.Value() > INT64_MAX / 10 ? INT64_MAX : amount.Value() * 10;
  size_t unit = 0;
  for (; tenths >= 10'240 && unit + 1 < kUnits.size(); ++unit) tenths /= 1024;
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) text.append(".").append(std::to_string(tenths % 10));
  return text.append(kUnits[unit]);
}

std::string TextOf(const NodeRoom& room, const Rendering&) {
  const char* with = room.have_devices ? " with the devices" : "";
  switch (room.cause) {
    case NodeRoom::Cause::kTooSmall:
      return fmt::format("no node{} is large enough: {}", with, ShortagesText(room));
    case NodeRoom::Cause::kTooSmallAll:
      return fmt::format(
          "the nodes{} have room for {} of {}, even when nothing else runs there: {}", with,
          room.fitting, Counted(room.wanted, "pod"), ShortagesText(room));
    case NodeRoom::Cause::kBusy:
      break;
  }
  return fmt::format("there is no room now on {} of {}{}: {}", room.nodes, Counted(room.of, "node"),
                     room.have_devices ? ", which could take the pod otherwise" : "",
                     ShortagesText(room));
}

std::string TextOf(const NoSuchResource& missing, const Rendering&) {
  std::string text = "no node has " + missing.resource.resource;
  switch (missing.source) {
    case NoSuchResource::Source::kNodes:
      break;
    case NoSuchResource::Source::kNoClass:
      text += ", and no DeviceClass has it as extendedResourceName";
      break;
    case NoSuchResource::Source::kImplicit:
      text += ", and there is no DeviceClass " + missing.device_class;
      break;
    case NoSuchResource::Source::kRelease:
      text += missing.device_class.empty()
                  ? ", and the worker's release of Kubernetes takes no extended resources from "
                    "DeviceClasses"
                  : ", and the worker's release of Kubernetes does not take it from DeviceClass " +
                        missing.device_class;
      break;
  }
  if (!missing.meant.empty()) text += fmt::format(" (did you mean {}?)", missing.meant);
  return text;
}

std::string TextOf(const NodeCounts& counts, const Rendering&) {
  std::string text = counts.with_devices ? "nodes cannot take the pod with its devices"
                                         : fmt::format("0/{} nodes can run the pod", counts.nodes);
  const char* separator = ": ";
  for (const NodeCounts::Refused& refused : counts.refused) {
    text += fmt::format("{}{} {}", separator, refused.nodes, RefusalText(refused.refusal));
    separator = ", ";
  }
  if (counts.first.empty()) return text;
  return fmt::format("{} ({})", text,
                     NodesText(counts.first, counts.nodes - static_cast<int>(counts.first.size())));
}

std::string TextOf(const PodsFit& pods, const Rendering&) {
  return fmt::format("{} of {} pods fit{}", pods.fitting, pods.wanted,
                     pods.others_untried ? "; the others were not tried" : "");
}

std::string TextOf(const EarlierPods& pods, const Rendering&) {
  const std::string first = fmt::format("{}", fmt::join(pods.earlier, " and "));
  const std::string nodes = NodesText(pods.nodes, pods.more_nodes);
  const std::string out =
      fmt::format("{} of {} pods of {} fit", pods.fitting, pods.wanted, pods.pod_set);
  if (pods.by_chance)
    return fmt::format(
        "kube-scheduler takes any of the nodes that it scores alike: where the pods of {} take {}, "
        "{}",
        first, nodes, out);
  return fmt::format(
      "the pods of {} come first and take {}, so that {}; all could fit if those of {} came first",
      first, nodes, out, pods.pod_set);
}

std::string TextOf(const FullClaim& claim, const Rendering&) {
  if (claim.placed == 0) return fmt::format("{} has {} consumers already", claim.claim, claim.most);
  std::string text = fmt::format("{} can have no more than {} consumers", claim.claim, claim.most);
  if (claim.before > 0) text += fmt::format(", and has {} of them already", claim.before);
  return text;
}

std::string TextOf(const Unbindable& pods, const Rendering&) {
  if (!pods.claim.empty())
    return pods.claim +
           " takes no more pods: its allocation lacks allocationTimestamp, which kube-scheduler "
           "then tries to add and the API server refuses as immutable; delete the claim and create "
           "it again";
  return fmt::format(
      "{} of {} nodes have the pod's extended resources from a device plugin; kube-scheduler "
      "cannot bind a pod there that has claims as well",
      pods.nodes, pods.of);
}

std::string TextOf(const SchedulerError& error, const Rendering&) {
  const char* behind = error.by_chance ? kByChance : "";
  if (error.node.empty()) return error.error + behind;
  std::string text = "kube-scheduler fails with an error on node " + error.node;
  if (error.pods > 0)
    text += fmt::format(" once {} of pod set {} {} there", Counted(error.pods, "pod"),
                        error.pod_set, error.pods == 1 ? "is" : "are");
  return fmt::format("{}: {}{}", text, error.error, behind);
}

std::string TextOf(const SearchLimit& search, const Rendering&) {
  switch (search.kind) {
    case SearchLimit::Kind::kSpent:
      return fmt::format(
          "the search for devices was given up{}{} after {} steps (at most {} for all pods and "
          "nodes together): {} of {} pods had found their devices",
          search.where.empty() ? "" : " on node ", search.where, search.steps, search.most,
          search.fitting, search.wanted);
    case SearchLimit::Kind::kSharedClaim:
      return fmt::format(
          "not every node was tried for {}, which the pods share: the search was given up after {} "
          "steps",
          search.where, search.steps);
    case SearchLimit::Kind::kOneNode:
      return fmt::format(
          "the pods fit, but whether devices of node {} would do was not found out within half of "
          "the steps; kube-scheduler searches every node, and where that takes longer than 10 "
          "seconds the pod goes nowhere, although it fits on other nodes",
          search.where);
    case SearchLimit::Kind::kSlowNode:
      return fmt::format(
          "the pods fit, but perhaps not on node {}: kube-scheduler needs at least {} steps to "
          "find "
          "out that it has too few devices for one request, and up to 1.35 leaves out a node whose "
          "search takes longer than 10 seconds",
          search.where, search.steps);
    case SearchLimit::Kind::kSlow:
      break;
  }
  return fmt::format(
      "kube-scheduler needs at least {} steps to find out that node {} has too few devices for one "
      "request; a search that takes longer than 10 seconds ends with an error, and then the pod "
      "goes nowhere, although it fits on other nodes",
      search.steps, search.where);
}

std::string MessageOf(const NewNodes& nodes) {
  std::string one;
  for (const auto& [name, count] : nodes.devices)
    one += fmt::format("{}{} devices of class {}", one.empty() ? "" : ", ", count, name);
  for (const auto& [key, value] : nodes.labels) one += fmt::format(", {}={}", key, value);
  return fmt::format("{} of a scalable pool ({}) could provide it",
                     Counted(nodes.nodes, "new node"), one);
}

}  // namespace fedra::verdict
