#include "manager/text/device_view.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "config/names.h"
#include "manager/text/as_of_text.h"
#include "manager/text/display_text.h"

namespace fedra::text {
namespace {

constexpr size_t kMaxTextWidth = 40;

// Columns that few clusters need are shown where some device counts in them.
struct Extra {
  bool shared = false;
  bool unusable = false;
};

Extra ExtraOf(const std::vector<report::WorkerDevices>& workers) {
  Extra extra;
  for (const report::WorkerDevices& worker : workers) {
    for (const report::NodeDevices& node : worker.inventory.nodes) {
      extra.shared |= node.count.shared > 0;
      extra.unusable |= node.count.unusable > 0;
    }
  }
  return extra;
}

std::vector<std::string> Titles(std::vector<std::string> first, const Extra& extra,
                                const std::vector<std::string>& last) {
  first.insert(first.end(), {"TOTAL", "FREE", "ALLOCATED", "TAINTED"});
  if (extra.shared) first.emplace_back("SHARED");
  if (extra.unusable) first.emplace_back("UNUSABLE");
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

void AddCounts(std::vector<Cell>& row, const report::DeviceCount& count, const Extra& extra) {
  const auto number = [](int value, Tone tone) {
    return Cell(std::to_string(value), value > 0 ? tone : Tone::kFaint);
  };
  row.emplace_back(std::to_string(count.total));
  row.push_back(number(count.free, Tone::kGood));
  row.push_back(number(count.allocated, Tone::kPlain));
  row.push_back(number(count.tainted, Tone::kWarning));
  if (extra.shared) row.push_back(number(count.shared, Tone::kPlain));
  if (extra.unusable) row.push_back(number(count.unusable, Tone::kBad));
}

Table ByClass(const std::vector<report::WorkerDevices>& workers) {
  const Extra extra = ExtraOf(workers);
  Table table(Titles({"WORKER", "DRIVER", "CLASS", "NODES"}, extra, {}));
  for (const report::WorkerDevices& worker : workers) {
    for (const auto& [key, of_class] : report::ClassesOf(worker.inventory)) {
      const size_t nodes = of_class.nodes.size();
      std::vector<Cell> row = {worker.worker, key.first, OrDash(key.second),
                               nodes == 0 ? "-" : std::to_string(nodes)};
      AddCounts(row, of_class.count, extra);
      table.Add(std::move(row));
    }
  }
  return table;
}

// "model=h100, memory=80Gi, index (8 values)"
std::string NodeSummary(const report::NodeDevices& node) {
  std::string text;
  for (const auto& [name, values] : node.attributes) {
    text += text.empty() ? "" : ", ";
    if (values.size() == 1) {
      text += name + "=" + Shortened(Printable(*values.begin()), kMaxTextWidth);
    } else {
      text += fmt::format("{} ({} values)", name, values.size());
    }
  }
  for (const std::string& problem : node.problems) text += (text.empty() ? "" : "; ") + problem;
  return text;
}

std::string ClassNames(const report::NodeDevices& node) {
  std::string text;
  for (const auto& [name, count] : node.classes)
    if (!name.empty()) text += (text.empty() ? "" : ",") + name;
  return OrDash(text);
}

Table ByNode(const std::vector<report::WorkerDevices>& workers) {
  const Extra extra = ExtraOf(workers);
  Table table(Titles({"WORKER", "DRIVER", "POOL", "NODE"}, extra, {"CLASSES", "ATTRIBUTES"}),
              Overflow::kWrap);
  for (const report::WorkerDevices& worker : workers) {
    for (const report::NodeDevices& node : worker.inventory.nodes) {
      std::vector<Cell> row = {worker.worker, node.driver, node.pool, OrDash(node.node)};
      AddCounts(row, node.count, extra);
      row.emplace_back(ClassNames(node));
      row.emplace_back(NodeSummary(node));
      table.Add(std::move(row));
    }
  }
  return table;
}

// What was probably meant; empty: there are no classes.
std::string ClassHint(const std::vector<report::WorkerDevices>& workers, const std::string& asked) {
  std::set<std::string> all;
  for (const report::WorkerDevices& worker : workers)
    all.insert(worker.inventory.known_classes.begin(), worker.inventory.known_classes.end());
  const std::vector<std::string> known(all.begin(), all.end());
  if (known.empty()) return {};
  std::string closest = config::ClosestName(asked, known);
  // "gpu" for "gpu.example.com": few remember the whole.
  for (const std::string& name : known)
    if (closest.empty() && !asked.empty() && name.find(asked) != std::string::npos) closest = name;
  if (!closest.empty()) return fmt::format("; did you mean {}?", closest);
  return fmt::format("; there are {}", fmt::join(known, ", "));
}

// Why the table is empty.
std::string Nothing(const std::vector<report::WorkerDevices>& workers,
                    const std::string& device_class) {
  size_t known = 0;
  int looked_at = 0;
  int failing = 0;
  for (const report::WorkerDevices& worker : workers) {
    if (!worker.problem.empty()) continue;
    ++known;
    looked_at += worker.inventory.looked_at;
    failing += worker.inventory.failing;
  }
  if (known == 0) return "no worker could be read: nothing is known of its devices";
  if (report::ClassIsNowhere(workers))
    return "no worker has this DeviceClass" + ClassHint(workers, device_class);
  if (looked_at > 0 && failing == looked_at) return "the selector is an error on every device";
  if (looked_at > 0) return fmt::format("none of {} devices matches", looked_at);
  return "no devices found";
}

std::string Notes(const std::vector<report::WorkerDevices>& workers, bool any,
                  const std::string& device_class, const Style& style) {
  std::string text;
  const auto add = [&](const std::string& line) {
    text += (text.empty() ? "" : "\n") + Printable(line, style.utf8);
  };
  for (const report::WorkerDevices& worker : workers) {
    if (!worker.problem.empty()) add(worker.worker + ": " + worker.problem);
    for (const std::string& note : worker.inventory.notes) add(worker.worker + ": " + note);
  }
  if (!any) add(Nothing(workers, device_class));
  return text;
}

}  // namespace

Output RenderDevices(const std::vector<report::WorkerDevices>& workers, const report::AsOf& as_of,
                     Format format, const Style& style, const std::string& device_class) {
  Output output;
  const bool any = report::HasAny(workers);
  if (IsForPrograms(format)) {
    output.out = ToText(report::DeviceDocument(workers, as_of), format);
    output.note = UnreadText(report::UnreadOf(workers), style);
    return output;
  }
  if (any)
    output.out =
        format == Format::kWide ? ByNode(workers).Render(style) : ByClass(workers).Render(style);
  output.note = Notes(workers, any, device_class, style);
  return output;
}

}  // namespace fedra::text
