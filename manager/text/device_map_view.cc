#include "manager/text/device_map_view.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "manager/report/device_map_document.h"
#include "manager/text/display_text.h"

namespace fedra::text {
namespace {

using report::AmountUse;
using report::DeviceCondition;
using report::MappedDevice;
using report::MappedNode;
using report::MappedPool;

Tone ToneOfState(DeviceCondition state) {
  switch (state) {
    case DeviceCondition::kFree:
      return Tone::kGood;
    case DeviceCondition::kTainted:
      return Tone::kWarning;
    case DeviceCondition::kUnusable:
      return Tone::kBad;
    case DeviceCondition::kAllocated:
    case DeviceCondition::kShared:
      break;
  }
  return Tone::kPlain;
}

// "memory 40Gi of 80Gi"
std::string AmountsText(const std::vector<AmountUse>& amounts) {
  std::string text;
  for (const AmountUse& amount : amounts)
    text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", amount.name,
                        amount.used.ToString(), amount.total.ToString());
  return text;
}

// "ml/serve-gpu (job serve)"
std::string HoldersText(const MappedDevice& device) {
  std::string text;
  for (const report::MappedHolder& holder : device.holders) {
    text += fmt::format("{}{}/{}", text.empty() ? "" : ", ", holder.ns, holder.claim);
    if (!holder.job.empty()) text += fmt::format(" (job {})", holder.job);
  }
  return OrDash(text);
}

std::string TaintText(const report::MappedTaint& taint) {
  std::string text = "taint " + taint.key;
  if (!taint.value.empty()) text += "=" + taint.value;
  text += ":" + taint.effect;
  return taint.rule.empty() ? text : text + fmt::format(" (DeviceTaintRule {})", taint.rule);
}

// What else is to be said of a device.
std::string RestOf(const MappedDevice& device) {
  std::vector<std::string> parts;
  if (device.why) parts.emplace_back(ToString(*device.why));
  for (const report::MappedTaint& taint : device.taints) parts.push_back(TaintText(taint));
  if (!device.shares.empty()) parts.push_back("held: " + AmountsText(device.shares));
  for (const report::CounterDemand& demand : device.consumes)
    parts.push_back("of " + demand.counter_set);
  return fmt::format("{}", fmt::join(parts, "; "));
}

// Partitions are alternatives, so they are not counted among what is free.
std::string PoolLine(const MappedPool& pool) {
  size_t whole = 0;
  size_t free = 0;
  size_t partitions = 0;
  for (const MappedDevice& device : pool.devices) {
    if (!device.consumes.empty()) {
      ++partitions;
      continue;
    }
    ++whole;
    if (device.state == DeviceCondition::kFree) ++free;
  }
  std::string text = fmt::format("{}, pool {}", pool.driver, pool.pool);
  if (whole > 0) text += fmt::format(": {} of {} free", free, Counted(whole, "device"));
  if (partitions > 0)
    text += fmt::format("{}{}, alternatives to each other", whole > 0 ? "; " : ": ",
                        Counted(partitions, "partition"));
  return text;
}

std::string PoolText(const MappedPool& pool, const Style& style) {
  std::string text = Paragraph(PoolLine(pool), 2, style);
  if (!pool.problem.empty()) text += Paragraph(pool.problem, 4, style);
  for (const report::MappedCounterSet& set : pool.counter_sets)
    text += Paragraph(fmt::format("{}: {} in use", set.name, AmountsText(set.counters)), 4, style);
  Table table({"    DEVICE", "STATE", "CLASSES", "HELD BY", "NOTE"}, Overflow::kWrap);
  for (const MappedDevice& device : pool.devices) {
    table.Add({"    " + device.name,
               {std::string(ToString(device.state)), ToneOfState(device.state)},
               OrDash(fmt::format("{}", fmt::join(device.classes, ","))),
               HoldersText(device),
               RestOf(device)});
  }
  return text + table.Render(style);
}

std::string NodeText(const MappedNode& node, const Style& style) {
  std::string title = node.name.empty() ? "reached by many nodes" : "node " + node.name;
  if (!node.exists) title += " (there is no such node)";
  if (node.cordoned) title += " (cordoned: no new pod gets there)";
  std::string text = Paragraph(title, 0, style);
  for (const MappedPool& pool : node.pools) text += PoolText(pool, style);
  return text;
}

}  // namespace

Output RenderDeviceMap(const report::DeviceMap& map, const report::AsOf& as_of, Format format,
                       const Style& style) {
  Output output;
  if (IsForPrograms(format)) {
    output.out = ToText(report::DeviceMapDocument(map, as_of), format);
    return output;
  }
  for (const MappedNode& node : map.nodes)
    output.out += (output.out.empty() ? "" : "\n") + NodeText(node, style);
  if (map.nodes.empty()) output.note = map.worker + ": no devices are published there";
  if (map.remaining > 0)
    output.note =
        fmt::format("{} more; --continue {} shows them", Counted(map.remaining, "node"), map.go_on);
  return output;
}

}  // namespace fedra::text
