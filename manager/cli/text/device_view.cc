#include "manager/cli/text/device_view.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "config/names.h"
#include "manager/cli/text/display_text.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMaxTextWidth = 40;

// Columns that few clusters need are shown where some device counts in them.
struct Extra {
  bool shared = false;
  bool unusable = false;
};

Extra ExtraOf(const std::vector<WorkerDevices>& workers) {
  Extra extra;
  for (const WorkerDevices& worker : workers) {
    for (const NodeDevices& node : worker.inventory.nodes) {
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

void AddCounts(std::vector<Cell>& row, const DeviceCount& count, const Extra& extra) {
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

// One driver's devices of one class, over all nodes.
struct ClassCount {
  DeviceCount count;
  std::set<std::string> nodes;
};
using Classes = std::map<std::pair<std::string, std::string>, ClassCount>;

Classes ClassesOf(const DeviceInventory& inventory) {
  Classes classes;
  for (const NodeDevices& node : inventory.nodes) {
    for (const auto& [name, count] : node.classes) {
      ClassCount& of_class = classes[{node.driver, name}];
      of_class.count.Add(count);
      if (!node.node.empty()) of_class.nodes.insert(node.node);
    }
  }
  return classes;
}

Table ByClass(const std::vector<WorkerDevices>& workers) {
  const Extra extra = ExtraOf(workers);
  Table table(Titles({"WORKER", "DRIVER", "CLASS", "NODES"}, extra, {}));
  for (const WorkerDevices& worker : workers) {
    for (const auto& [key, of_class] : ClassesOf(worker.inventory)) {
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
std::string NodeSummary(const NodeDevices& node) {
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

std::string ClassNames(const NodeDevices& node) {
  std::string text;
  for (const auto& [name, count] : node.classes)
    if (!name.empty()) text += (text.empty() ? "" : ",") + name;
  return OrDash(text);
}

Table ByNode(const std::vector<WorkerDevices>& workers) {
  const Extra extra = ExtraOf(workers);
  Table table(Titles({"WORKER", "DRIVER", "POOL", "NODE"}, extra, {"CLASSES", "ATTRIBUTES"}),
              Overflow::kWrap);
  for (const WorkerDevices& worker : workers) {
    for (const NodeDevices& node : worker.inventory.nodes) {
      std::vector<Cell> row = {worker.worker, node.driver, node.pool, OrDash(node.node)};
      AddCounts(row, node.count, extra);
      row.emplace_back(ClassNames(node));
      row.emplace_back(NodeSummary(node));
      table.Add(std::move(row));
    }
  }
  return table;
}

void Put(ordered_json& object, const DeviceCount& count) {
  object["total"] = count.total;
  object["free"] = count.free;
  object["allocated"] = count.allocated;
  object["tainted"] = count.tainted;
  object["shared"] = count.shared;
  object["unusable"] = count.unusable;
}

ordered_json PoolsJson(const NodeDevices& node) {
  ordered_json object = {{"driver", node.driver}, {"pool", node.pool}, {"node", node.node}};
  Put(object, node.count);
  object["classes"] = ordered_json::array();
  for (const auto& [name, count] : node.classes) {
    ordered_json item = {{"class", name}};
    Put(item, count);
    object["classes"].push_back(std::move(item));
  }
  object["attributes"] = node.attributes;
  object["problems"] = node.problems;
  return object;
}

ordered_json DevicesJson(const WorkerDevices& worker) {
  ordered_json object = {{"name", worker.worker}};
  object["notes"] = worker.inventory.notes;
  object["classes"] = ordered_json::array();
  for (const auto& [key, of_class] : ClassesOf(worker.inventory)) {
    ordered_json item = {
        {"driver", key.first}, {"class", key.second}, {"nodes", of_class.nodes.size()}};
    Put(item, of_class.count);
    object["classes"].push_back(std::move(item));
  }
  object["pools"] = ordered_json::array();
  for (const NodeDevices& node : worker.inventory.nodes) object["pools"].push_back(PoolsJson(node));
  return object;
}

bool HasAny(const std::vector<WorkerDevices>& workers) {
  return std::any_of(workers.begin(), workers.end(),
                     [](const WorkerDevices& worker) { return !worker.inventory.nodes.empty(); });
}

// What was probably meant; empty: there are no classes.
std::string ClassHint(const std::vector<WorkerDevices>& workers, const std::string& asked) {
  std::set<std::string> all;
  for (const WorkerDevices& worker : workers)
    all.insert(worker.inventory.known_classes.begin(), worker.inventory.known_classes.end());
  const std::vector<std::string> known(all.begin(), all.end());
  if (known.empty()) return {};
  std::string closest = config::ClosestName(asked, known);
  // "gpu" for "gpu.example.com": nobody remembers the whole.
  for (const std::string& name : known)
    if (closest.empty() && !asked.empty() && name.find(asked) != std::string::npos) closest = name;
  if (!closest.empty()) return fmt::format("; did you mean {}?", closest);
  return fmt::format("; there are {}", fmt::join(known, ", "));
}

// Why the table is empty.
std::string Nothing(const std::vector<WorkerDevices>& workers, const std::string& device_class) {
  size_t known = 0;
  int looked_at = 0;
  int failing = 0;
  for (const WorkerDevices& worker : workers) {
    if (!worker.problem.empty()) continue;
    ++known;
    looked_at += worker.inventory.looked_at;
    failing += worker.inventory.failing;
  }
  if (known == 0) return "no worker could be read: nothing is known of its devices";
  if (ClassIsNowhere(workers))
    return "no worker has this DeviceClass" + ClassHint(workers, device_class);
  if (looked_at > 0 && failing == looked_at) return "the selector is an error on every device";
  if (looked_at > 0) return fmt::format("none of {} devices matches", looked_at);
  return "no devices found";
}

std::string Notes(const std::vector<WorkerDevices>& workers, bool any,
                  const std::string& device_class, const Style& style) {
  std::string text;
  const auto add = [&](const std::string& line) {
    text += (text.empty() ? "" : "\n") + Printable(line, style.utf8);
  };
  for (const WorkerDevices& worker : workers) {
    if (!worker.problem.empty()) add(worker.worker + ": " + worker.problem);
    for (const std::string& note : worker.inventory.notes) add(worker.worker + ": " + note);
  }
  if (!any) add(Nothing(workers, device_class));
  return text;
}

}  // namespace

bool ClassIsNowhere(const std::vector<WorkerDevices>& workers) {
  const auto is_known = [](const WorkerDevices& worker) { return worker.problem.empty(); };
  return std::any_of(workers.begin(), workers.end(), is_known) &&
         std::all_of(workers.begin(), workers.end(), [&](const WorkerDevices& worker) {
           return !is_known(worker) || worker.inventory.class_missing;
         });
}

bool OnlyFails(const std::vector<WorkerDevices>& workers) {
  return !HasAny(workers) &&
         std::any_of(workers.begin(), workers.end(),
                     [](const WorkerDevices& worker) { return worker.inventory.failing > 0; });
}

Output RenderDevices(const std::vector<WorkerDevices>& workers, const AsOf& as_of, Format format,
                     const Style& style, const std::string& device_class) {
  Output output;
  const bool any = HasAny(workers);
  if (format == Format::kJson || format == Format::kYaml) {
    ordered_json document = Document("DeviceReport", as_of);
    document["workers"] = ordered_json::array();
    std::vector<UnreadWorker> unread;
    for (const WorkerDevices& worker : workers) {
      if (worker.problem.empty())
        document["workers"].push_back(DevicesJson(worker));
      else
        unread.push_back({worker.worker, worker.problem});
    }
    PutUnread(document, unread);
    output.out = ToText(document, format);
    output.note = UnreadText(unread, style);
    return output;
  }
  if (any)
    output.out =
        format == Format::kWide ? ByNode(workers).Render(style) : ByClass(workers).Render(style);
  output.note = Notes(workers, any, device_class, style);
  return output;
}

}  // namespace fedra::cli
