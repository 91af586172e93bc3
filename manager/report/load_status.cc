#include "manager/report/load_status.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "manager/report/row_states.h"

namespace fedra::report {
namespace {

Result<void> LoadFirst(store::Reader& reader, StatusData& data) {
  for (const store::PlaceRow& place : data.places) {
    if (data.first.contains(place.first)) continue;
    FEDRA_ASSIGN_OR_RETURN(std::optional<store::WorkloadRow> row, LoadFirstOf(reader, place));
    if (row) data.first.emplace(place.first, *std::move(row));
  }
  return {};
}

Result<store::JobQuery> StoreQuery(store::Reader& reader, const Query& query) {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<std::string> states, reader.JobStates());
  return StoreQueryOf(query.jobs, query.ns, states, query.now);
}

}  // namespace

Result<StatusData> LoadFleet(store::Reader& reader) {
  StatusData data;
  FEDRA_ASSIGN_OR_RETURN(data.daemon, LoadDaemon(reader));
  FEDRA_ASSIGN_OR_RETURN(data.clusters, reader.Clusters());
  data.manager = TakeManager(data.clusters);
  return data;
}

Result<void> LoadJobsByWorker(store::Reader& reader, StatusData& data) {
  FEDRA_ASSIGN_OR_RETURN(store::JobQuery query, StoreQuery(reader, {}));
  query.ended_before.reset();
  std::erase_if(query.states, [](const auto& state) { return HasEnded(state.first); });
  FEDRA_ASSIGN_OR_RETURN(const std::vector<store::JobGroup> groups,
                         reader.JobGroups(query, store::JobGrouping::kWorker));
  for (const store::JobGroup& group : groups) data.jobs_on[ClusterName(group.name)] = group.jobs;
  FEDRA_ASSIGN_OR_RETURN(const std::vector<store::ResidueRow> residues, reader.Residues());
  for (const store::ResidueRow& residue : residues) {
    // A job that ended on the worker itself has nothing that could run there.
    FEDRA_ASSIGN_OR_RETURN(const auto row, reader.Workload(residue.uid));
    if (!row || !HasEnded(row->state) || row->worker != residue.cluster)
      ++data.left_on[residue.cluster];
  }
  return {};
}

Result<void> LoadJobs(store::Reader& reader, const Query& query, JobDetail detail,
                      StatusData& data) {
  FEDRA_ASSIGN_OR_RETURN(const store::JobQuery asked, StoreQuery(reader, query));
  FEDRA_ASSIGN_OR_RETURN(store::JobPage page, reader.Jobs(asked));
  data.jobs = Chosen(std::move(page), query.jobs, query.ns);
  if (detail == JobDetail::kNone) return {};
  const auto append = [](auto rows, auto& to) -> Result<void> {
    if (!rows) return Fail(rows.error());
    std::ranges::move(*rows, std::back_inserter(to));
    return {};
  };
  for (const store::WorkloadRow& row : data.jobs.shown) {
    if (PhaseOf(row) == placement::Phase::kBlocked)
      FEDRA_RETURN_IF_ERROR(append(reader.Verdicts(row.uid), data.verdicts));
    FEDRA_RETURN_IF_ERROR(append(reader.Places(row.uid), data.places));
    if (detail == JobDetail::kWide)
      FEDRA_RETURN_IF_ERROR(append(reader.Attempts(row.uid), data.attempts));
  }
  return LoadFirst(reader, data);
}

Result<void> LoadGroups(store::Reader& reader, const Query& query, StatusData& data) {
  FEDRA_ASSIGN_OR_RETURN(const store::JobQuery asked, StoreQuery(reader, query));
  FEDRA_ASSIGN_OR_RETURN(data.groups, reader.JobGroups(asked, query.jobs.grouping.value()));
  return {};
}

Result<bool> HasJobs(store::Reader& reader, const std::string& ns) {
  Query query{.ns = ns};
  query.jobs.all = true;
  query.jobs.limit = 1;
  FEDRA_ASSIGN_OR_RETURN(const store::JobQuery asked, StoreQuery(reader, query));
  FEDRA_ASSIGN_OR_RETURN(const store::JobPage page, reader.Jobs(asked));
  return !page.rows.empty();
}

}  // namespace fedra::report
