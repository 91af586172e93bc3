// Devices in words and counts.

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "verdict/fact_text.h"

namespace fedra::verdict {
namespace {

// Of each alternative; the facts have them in full.
constexpr size_t kMaxCountsShown = 300;

std::string InBrackets(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

// " (job ml/a, ml/b and 4 more)"; empty when there are none to be named.
std::string HoldersText(const CountedCause& cause, const Rendering& rendering) {
  std::string text;
  size_t named = 0;
  for (const Holder& holder : cause.holders) {
    if (named == kMaxHoldersNamed) break;
    if (!rendering.tenants_of.empty() && holder.name.ns != rendering.tenants_of) continue;
    text += (named++ == 0 ? "" : ", ") + NameOf(holder);
  }
  const size_t all = std::max(cause.all_holders, cause.holders.size());
  if (named > 0 && all > named) text += fmt::format(" and {} more", all - named);
  return InBrackets(text);
}

// "need 20Gi of memory (8Gi left on gpu-3)".
std::string NeedText(const CapacityNeed& need) {
  const std::string text = fmt::format("need {} of {}", need.need.ToString(), need.capacity);
  if (!need.left) return fmt::format("{} ({} has none)", text, need.device);
  if (need.refused) return fmt::format("{} ({} gives no such amount)", text, need.device);
  return fmt::format("{} ({} left on {})", text, need.left->ToString(), need.device);
}

// "1 device of class gpu", "2 devices of class gpu on one node", "all devices of class gpu"
std::string PerPodText(const RequestedDevices& requested) {
  if (requested.all) return "all devices of class " + requested.device_class;
  return Counted(requested.count, "device") + " of class " + requested.device_class +
         (requested.count == 1 ? "" : " on one node");
}

std::string NoneFits(const AlternativeCounts& request) {
  return fmt::format("request {} of {} fits in none of {} alternatives", request.request,
                     request.claim, request.all);
}

// "large", of "gpu/large".
std::string AlternativeName(const DeviceCounts& counts) {
  const std::string& name = counts.requested.request;
  return name.substr(name.find('/') + 1);
}

// Empty: nothing is known.
std::string FreeText(const std::optional<WithAllFree>& free) {
  if (!free) return {};
  return fmt::format("; even with every device free only {} of {} would fit", free->fitting,
                     Counted(free->wanted, "pod"));
}

std::string Behind(const std::optional<Shortfall>& shortfall,
                   const std::optional<WithAllFree>& free) {
  if (!shortfall) return FreeText(free);
  return fmt::format(
      "; {} {} {}, only {} {} {}", Counted(shortfall->pods, "pod"),
      shortfall->pods == 1 ? "needs" : "need", Counted(shortfall->needed, "device"),
      shortfall->there, shortfall->there == 1 ? "is" : "are",
      shortfall->are_all ? "there in all" : "untainted and on nodes the pods can use");
}

std::string AmountText(const JointShortage::Amount& amount) {
  if (amount.counter.empty()) return NeedText(amount.need);
  return fmt::format("need {}{} of {} ({} left{})", amount.need.need.ToString(),
                     amount.for_all ? " each" : "", amount.counter,
                     amount.need.left.value_or(Quantity()).ToString(),
                     amount.for_all ? " for all" : "");
}

// "2 need 10Gi of memory (8Gi left on gpu-3), 1 need ..."
std::string AmountsText(const std::vector<JointShortage::Amount>& amounts) {
  std::map<std::string, int> texts;
  for (const JointShortage::Amount& amount : amounts) texts[AmountText(amount)] += amount.devices;
  std::string all;
  for (const auto& [text, devices] : texts)
    all += fmt::format("{}{} {}", all.empty() ? "" : ", ", devices, text);
  return all;
}

// "request a: 1 of 2, request b of claim c: 3, each alone"
std::string FoundText(const JointShortage& shortage) {
  std::string text;
  for (const JointShortage::Found& found : shortage.found) {
    text += fmt::format("{}request {}{}{}: {}", text.empty() ? "" : ", ", found.request,
                        found.claim.empty() ? "" : " of ", found.claim, found.free);
    if (!found.all) text += fmt::format(" of {}", found.count);
  }
  if (shortage.requests > shortage.found.size()) text += ", ...";
  return text + (shortage.each_alone ? ", each alone" : "");
}

}  // namespace

std::string NameOf(const Holder& holder) {
  return (holder.is_job ? "job " : "") + holder.name.ToString();
}

std::string SubjectOf(const RequestedDevices& requested) {
  return fmt::format("request {} of {}", requested.request, requested.claim);
}

std::string WhatOf(const CountedCause& cause, const Rendering& rendering) {
  switch (cause.rule) {
    case Rule::kUnusablePool:
      return "in incomplete or invalid pools" + InBrackets(cause.detail);
    case Rule::kOtherDriver:
      return "other driver";
    case Rule::kClassSelector:
      return "fail class selector " + cause.detail;
    case Rule::kRequestSelector:
      return "fail request selector " + cause.detail;
    case Rule::kSelectorError:
      return "cannot be evaluated: " + cause.detail;
    case Rule::kOtherNode:
      return "on nodes the pod cannot use";
    case Rule::kTaint:
      return "tainted " + cause.detail;
    case Rule::kAllocated:
      return "allocated" + HoldersText(cause, rendering);
    case Rule::kReserved:
      return "reserved for jobs already dispatched here";
    case Rule::kTaken:
      return "would be taken by other pods of this job";
    case Rule::kGroups:
      return "of other compatibility groups than those in use of counter set " + cause.detail;
    case Rule::kCapacity:
      return "without enough capacity" +
             (cause.needs.empty() ? "" : ": " + NeedText(cause.needs.front()));
    case Rule::kFree:
      break;
  }
  return "free";
}

std::string CountsText(const DeviceCounts& counts, const Rendering& rendering) {
  if (counts.devices == 0) return "no devices";
  std::string text = Counted(counts.devices, "device");
  const char* separator = ": ";
  for (const CountedCause& part : counts.parts) {
    text.append(separator).append(std::to_string(part.devices)).append(" ");
    text += WhatOf(part, rendering);
    separator = ", ";
  }
  return text;
}

std::string RequestText(const DeviceCounts& counts) {
  return fmt::format("{} wants {}{}", SubjectOf(counts.requested), PerPodText(counts.requested),
                     Behind(counts.shortfall, counts.with_all_free));
}

std::string RequestText(const AlternativeCounts& request) {
  std::string text = NoneFits(request);
  const char* separator = ": ";
  for (const auto& [code, counts] : request.alternatives) {
    text += fmt::format("{}{} ({})", separator, AlternativeName(counts), ToString(code));
    separator = ", ";
  }
  if (request.all > request.alternatives.size()) text += ", ...";
  return text + Behind(request.shortfall, request.with_all_free);
}

std::string TextOf(const DeviceCounts& counts, const Rendering& rendering) {
  return RequestText(counts) + ": " + CountsText(counts, rendering);
}

std::string TextOf(const AlternativeCounts& request, const Rendering& rendering) {
  std::string text = NoneFits(request);
  const char* separator = ": ";
  for (const auto& [code, counts] : request.alternatives) {
    text += fmt::format("{}{}: {} ({}; {})", separator, AlternativeName(counts),
                        PerPodText(counts.requested), ToString(code),
                        Cut(CountsText(counts, rendering), kMaxCountsShown));
    separator = ", ";
  }
  if (request.all > request.alternatives.size()) text += ", ...";
  return text + Behind(request.shortfall, request.with_all_free);
}

std::string TextOf(const BrokenSelector& selector, const Rendering&) {
  return fmt::format("request {} of {}: {}", selector.request, selector.claim, selector.error);
}

std::string TextOf(const JointShortage& shortage, const Rendering&) {
  using enum JointShortage::Cause;
  const std::string& node = shortage.node;
  const std::string free = FreeText(shortage.with_all_free);
  switch (shortage.cause) {
    case kConstraints:
      if (shortage.constraints.empty())
        return fmt::format("the constraints of the claims cannot hold together on node {}", node);
      return fmt::format("{} cannot hold on node {}", fmt::join(shortage.constraints, " or "),
                         node);
    case kCounters:
      return fmt::format("shared counters are used up on node {}: {}{}", node,
                         AmountsText(shortage.amounts), free);
    case kGroups:
      return fmt::format(
          "devices that share counters do not go together on node {}: their compatibility groups "
          "differ{}",
          node, free);
    case kTaints:
      return fmt::format("untolerated device taints on node {}", node);
    case kCapacity:
      return fmt::format("not enough device capacity is left on node {}: {}{}", node,
                         AmountsText(shortage.amounts), free);
    case kAllocated:
    case kTaken:
      return fmt::format("too many devices are {} on node {} ({}){}",
                         shortage.cause == kAllocated ? "allocated" : "taken", node,
                         FoundText(shortage), free);
    case kNoNode:
      break;
  }
  return fmt::format("no {} has devices for all requests; the nearest is {} ({}){}",
                     shortage.with_room ? "node with room" : "single node", node,
                     FoundText(shortage), free);
}

}  // namespace fedra::verdict
