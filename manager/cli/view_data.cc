#include "manager/cli/view_data.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "manager/tracking/manager_name.h"

namespace fedra::cli {
namespace {

// The row of the manager, which is taken out of the workers'.
std::optional<store::ClusterRow> TakeManager(std::vector<store::ClusterRow>& clusters) {
  const auto found = std::find_if(
      clusters.begin(), clusters.end(),
      [](const store::ClusterRow& row) { return row.name.value == tracking::kManagerName; });
  if (found == clusters.end()) return std::nullopt;
  store::ClusterRow manager = std::move(*found);
  clusters.erase(found);
  return manager;
}

Result<Daemon> LoadDaemon(store::Reader& reader) {
  FEDRA_ASSIGN_OR_RETURN(std::optional<store::HeartbeatRow> heartbeat, reader.Heartbeat());
  return Daemon{std::move(heartbeat), reader.is_in_use()};
}

}  // namespace

Result<StatusData> LoadStatus(store::Reader& reader) {
  StatusData data;
  FEDRA_ASSIGN_OR_RETURN(data.daemon, LoadDaemon(reader));
  FEDRA_ASSIGN_OR_RETURN(data.clusters, reader.Clusters());
  data.manager = TakeManager(data.clusters);
  FEDRA_ASSIGN_OR_RETURN(data.workloads, reader.Workloads());
  FEDRA_ASSIGN_OR_RETURN(data.verdicts, reader.VerdictsOfState("Blocked"));
  return data;
}

Result<WorkloadData> LoadWorkload(store::Reader& reader, const ObjectKey& name) {
  WorkloadData data;
  FEDRA_ASSIGN_OR_RETURN(data.daemon, LoadDaemon(reader));
  FEDRA_ASSIGN_OR_RETURN(std::vector<store::ClusterRow> clusters, reader.Clusters());
  data.manager = TakeManager(clusters);
  data.configured_workers = clusters.size();
  FEDRA_ASSIGN_OR_RETURN(std::vector<store::WorkloadRow> rows, reader.FindWorkloads(name));
  for (store::WorkloadRow& row : rows) {
    WorkloadData::Incarnation incarnation;
    FEDRA_ASSIGN_OR_RETURN(incarnation.verdicts, reader.Verdicts(row.uid));
    FEDRA_ASSIGN_OR_RETURN(incarnation.attempts, reader.Attempts(row.uid));
    FEDRA_ASSIGN_OR_RETURN(incarnation.events, reader.Events(row.uid));
    incarnation.row = std::move(row);
    data.incarnations.push_back(std::move(incarnation));
  }
  if (!data.incarnations.empty()) return data;
  return Fail(ErrorCode::kNotFound,
              fmt::format("no job or Workload {} is known to fedra (fedra status workloads lists "
                          "what is; a job needs a queue that exists and whose ClusterQueue has "
                          "fedra's AdmissionCheck: kubectl describe workloads -n {} shows what "
                          "Kueue says)",
                          name.ToString(), name.ns));
}

Result<ObjectKey> ParseWorkloadName(const std::string& text, const std::string& ns) {
  const size_t slash = text.find('/');
  ObjectKey key = slash == std::string::npos
                      ? ObjectKey{ns, text}
                      : ObjectKey{text.substr(0, slash), text.substr(slash + 1)};
  if (!key.ns.empty() && !key.name.empty() && key.name.find('/') == std::string::npos) return key;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" does not name a job: write NAMESPACE/NAME", text));
}

}  // namespace fedra::cli
