#include "manager/report/device_report.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "manager/report/exit_code.h"

namespace fedra::report {
namespace {

using nlohmann::ordered_json;

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

}  // namespace

void DeviceCount::Add(const DeviceCount& other) {
  total += other.total;
  free += other.free;
  shared += other.shared;
  allocated += other.allocated;
  tainted += other.tainted;
  unusable += other.unusable;
}

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

bool HasAny(const std::vector<WorkerDevices>& workers) {
  return std::any_of(workers.begin(), workers.end(),
                     [](const WorkerDevices& worker) { return !worker.inventory.nodes.empty(); });
}

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

std::vector<UnreadWorker> UnreadOf(const std::vector<WorkerDevices>& workers) {
  std::vector<UnreadWorker> unread;
  for (const WorkerDevices& worker : workers)
    if (!worker.problem.empty()) unread.push_back({worker.worker, worker.problem});
  return unread;
}

ordered_json DeviceDocument(const std::vector<WorkerDevices>& workers, const AsOf& as_of) {
  ordered_json document = Document("DeviceReport", as_of);
  document["workers"] = ordered_json::array();
  for (const WorkerDevices& worker : workers)
    if (worker.problem.empty()) document["workers"].push_back(DevicesJson(worker));
  PutUnread(document, UnreadOf(workers));
  return document;
}

int ExitCodeOf(const std::vector<WorkerDevices>& workers) {
  const bool unknown = std::ranges::any_of(
      workers, [](const WorkerDevices& worker) { return !worker.problem.empty(); });
  if (unknown) return kUnknown;
  if (ClassIsNowhere(workers)) return kFailed;
  return OnlyFails(workers) ? kEvaluationError : 0;
}

}  // namespace fedra::report
