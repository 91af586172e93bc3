#include "manager/report/as_of.h"

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/report/document.h"
#include "manager/report/row_json.h"

namespace fedra::report {

nlohmann::ordered_json Document(std::string_view kind, const AsOf& as_of) {
  nlohmann::ordered_json document = Document(kind);
  document["asOf"] = FormatRfc3339(as_of.at);
  document["source"] = as_of.snapshot.empty() ? "Clusters" : "Snapshot";
  if (!as_of.snapshot.empty()) document["file"] = as_of.snapshot;
  if (as_of.replica) document["replica"] = ReplicaJson(*as_of.replica);
  return document;
}

void PutUnread(nlohmann::ordered_json& document, std::span<const UnreadWorker> workers) {
  nlohmann::ordered_json& list = document["unreadWorkers"] = nlohmann::ordered_json::array();
  for (const UnreadWorker& one : workers)
    list.push_back({{"worker", one.worker}, {"problem", one.problem}});
}

}  // namespace fedra::report
