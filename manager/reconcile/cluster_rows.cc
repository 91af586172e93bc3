#include "manager/reconcile/cluster_rows.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/log.h"
#include "base/text.h"
#include "manager/tracking/manager_name.h"
#include "manager/verify/cluster_phase.h"
#include "verdict/reason_text.h"

namespace fedra::reconcile {
namespace {

using placement::Contact;

constexpr std::chrono::seconds kRowInterval{10};
constexpr std::chrono::seconds kCountInterval{1};
// A worker's lost_since is computed from elapsed time: while the wall clock is slewed, two looks at
// one outage differ by as much.
constexpr std::chrono::seconds kSameOutage{2};

// Stopped queues are looked for among all of a worker's; who writes a cordon gives it any name.
constexpr size_t kMaxWhy = 300;

constexpr const char* kKept =
    "removed from the configuration; fedra stays connected until the jobs that run there have "
    "ended";
constexpr const char* kDrained =
    "removed from the configuration; its jobs are taken back (dispatch.removedWorkers: Drain)";

// Two outages that begin within that time may be taken for one. But an outage whose beginning is
// elsewhere now, since the clock was set, gets its new one: a restart counts from what is
// stored, by the wall clock of then.
bool IsSameOutage(const std::optional<WallTime>& stored, const std::optional<WallTime>& now) {
  if (!stored || !now) return !stored && !now;
  return std::chrono::abs(*now - *stored) < kSameOutage;
}

// "LocalQueue ml/gpu is not active: ClusterQueue gpu is stopped (stopPolicy Hold) (and 2 more)";
// empty: all are active.
std::string StoppedQueues(const verify::Capacity& capacity) {
  if (capacity.stopped_queues.empty()) return {};
  const verify::StoppedQueue& first = capacity.stopped_queues.front();
  const std::string text = first.why_names_it
                               ? first.why
                               : fmt::format("{} is not active{}{}", first.name,
                                             first.why.empty() ? "" : ": ", first.why);
  return capacity.stopped == 1 ? text : fmt::format("{} (and {} more)", text, capacity.stopped - 1);
}

void AddCordon(const tracking::Cordon& cordon, store::ClusterRow& row) {
  row.cordon = NameOf(cordon);
  const std::string why = verdict::ServiceText({.drains = cordon.drains, .reason = cordon.reason});
  row.why = row.why.empty() ? why : why + "; " + row.why;
}

// "cordoned, and no worker: west (fedra uncordon west)"; empty: all are of workers.
std::string WithoutWorker(const tracking::Cordons& cordons, const WorkerList& workers) {
  std::vector<std::string> names;
  for (const auto& [name, cordon] : cordons)
    if (workers.Find(name) == nullptr) names.push_back(name.value);
  if (names.empty()) return {};
  return Cut(fmt::format("cordoned, and no worker: {0} (fedra uncordon {1})",
                         fmt::join(names, ", "), names.front()),
             kMaxWhy);
}

void AppendTo(std::string& why, const std::string& more) {
  if (!more.empty()) why += (why.empty() ? "" : "; ") + more;
}

}  // namespace

Result<void> ClusterRows::Load(std::vector<WorkerSettings>& workers) {
  FEDRA_ASSIGN_OR_RETURN(const auto reader, store_.Read());
  FEDRA_ASSIGN_OR_RETURN(const auto rows, reader->Clusters());
  for (const store::ClusterRow& row : rows) written_[row.name] = row;
  std::set<ClusterName> gone;
  for (const auto& [name, row] : written_) gone.insert(name);
  gone.erase(ClusterName(std::string(tracking::kManagerName)));
  for (WorkerSettings& worker : workers) {
    if (gone.erase(worker.cluster.name) > 0)
      worker.lost_since = written_[worker.cluster.name].lost_since;
  }
  for (const ClusterName& name : gone) Remove(name);
  return {};
}

std::vector<ClusterName> ClusterRows::Remembered(const std::set<ClusterName>& others) const {
  std::vector<ClusterName> names;
  const auto reader = store_.Read();
  const auto rows = reader ? (*reader)->Clusters() : Fail(reader.error());
  if (!rows) {
    log::Warn("the workers of the last run are not known", {{"error", rows.error().message}});
    return names;
  }
  for (const store::ClusterRow& row : *rows) {
    const bool is_worker = row.name.value != tracking::kManagerName && !row.is_removed;
    if (is_worker && !others.contains(row.name)) names.push_back(row.name);
  }
  return names;
}

// What has changed in between is seen a second later, all of it at once.
bool ClusterRows::IsDue(const std::string& json, SteadyTime& at) const {
  const SteadyTime now = clock_.Steady();
  if (!json.empty() && now - at < kCountInterval) return false;
  at = now;
  return true;
}

void ClusterRows::Keep(verify::Capacity capacity, Counted& counted) {
  if (!counted.json.empty() && counted.capacity == capacity) return;
  counted.json = verify::ToJsonText(capacity);
  counted.capacity = std::move(capacity);
}

const ClusterRows::Counted& ClusterRows::Count(const Worker& worker) {
  Counted& counted = counted_[worker.name()];
  if (!IsDue(counted.json, counted.at)) return counted;
  counted.note = Cut(StoppedQueues(verify::QueuesOf(worker.objects())), kMaxWhy);
  Keep(verify::CapacityOf(worker.objects()), counted);
  return counted;
}

const std::string& ClusterRows::Describe(const Worker& worker, const kube::ServerInfo& server) {
  Described& known = described_[worker.name()];
  if (!IsDue(known.json, known.at)) return known.json;
  auto seen = verify::CapabilitiesOf(worker.objects(), server, worker.settings().capabilities);
  if (known.json.empty() || known.capabilities != seen) {
    known.json = verify::ToJsonText(seen);
    known.capabilities = std::move(seen);
  }
  return known.json;
}

store::ClusterRow ClusterRows::RowOf(const Worker& worker, int position) {
  const WorkerStatus status = worker.Status();
  const ConnectionState& state = status.connection;
  const std::string problem =
      state.phase == ConnectionPhase::kConnected ? worker.Problem() : std::string();
  const auto server = worker.server();
  const WallTime now = clock_.Now();
  store::ClusterRow row;
  row.name = worker.name();
  row.position = position;
  // Connected means usable: not before the lists are complete, the first ones or, after an outage,
  // those of what we have there.
  const bool listing = state.phase == ConnectionPhase::kConnected &&
                       (!status.answered || status.contact == Contact::kSyncing);
  row.phase = ToString(verify::ClusterPhaseOf(state.phase, !listing));
  row.phase_since = state.since;
  row.why = state.why ? state.why->message : problem;
  // Until it is known whether it is there, what was known stands: a slow start is no outage.
  if (status.contact == Contact::kFull || status.answered) {
    // A restart must not take the time of such a rejection for an outage.
    if (!status.keeps_jobs) row.lost_since = status.lost_since;
    seen_.insert(row.name);
  } else if (const auto known = written_.find(row.name); known != written_.end()) {
    row.lost_since = known->second.lost_since;
  }
  if (status.contact == Contact::kFull) row.last_contact = now;
  if (server != nullptr) row.kubernetes_version = server->git_version;
  if (const auto versions = worker.Facts().dra_versions; !versions.empty())
    row.dra_version = versions.front();
  if (server != nullptr) row.capabilities_json = Describe(worker, *server);
  if (problem.empty() && !listing && status.contact == Contact::kFull) {
    const Counted& counted = Count(worker);
    row.note = counted.note;
    row.capacity_json = counted.json;
  }
  row.updated_at = now;
  return row;
}

void ClusterRows::Record(store::ClusterRow manager, const ManagerQueues* queues,
                         const WorkerList& workers, const tracking::Cordons& cordons,
                         const std::string& left_out) {
  if (queues != nullptr) {
    AppendTo(manager.why, left_out);
    AppendTo(manager.why, WithoutWorker(cordons, workers));
    Counted& counted = counted_[manager.name];
    if (IsDue(counted.json, counted.at)) Keep(queues->Summary(), counted);
    manager.capacity_json = counted.json;
  }
  Record(std::move(manager));
  int position = 0;
  for (const auto& worker : workers) {
    store::ClusterRow row = RowOf(*worker, position++);
    row.is_removed = workers.removed().contains(worker->name());
    if (row.is_removed && row.why.empty()) row.why = workers.drains() ? kDrained : kKept;
    if (const auto cordon = cordons.find(row.name); cordon != cordons.end())
      AddCordon(cordon->second, row);
    Record(std::move(row));
  }
}

Outages ClusterRows::Lost(const Outages& left) const {
  Outages lost;
  for (const auto& [name, row] : written_) {
    const auto noted = left.find(name);
    if (seen_.contains(name)) {
      if (row.lost_since) lost.emplace(name, *row.lost_since);
    } else if (noted != left.end()) {
      lost.insert(*noted);
    }
  }
  return lost;
}

void ClusterRows::Remove(const ClusterName& worker) {
  written_.erase(worker);
  seen_.erase(worker);
  counted_.erase(worker);
  described_.erase(worker);
  store_.Enqueue(store::RemoveCluster{worker});
}

void ClusterRows::Record(store::ClusterRow row) {
  store::ClusterRow& written = written_[row.name];
  const bool same_outage = IsSameOutage(written.lost_since, row.lost_since);
  if (same_outage) row.lost_since = written.lost_since;
  if (!row.last_contact) row.last_contact = written.last_contact;
  const bool changed = !same_outage || written.is_removed != row.is_removed ||
                       written.cordon != row.cordon || written.phase != row.phase ||
                       written.why != row.why || written.note != row.note ||
                       written.capacity_json != row.capacity_json ||
                       written.capabilities_json != row.capabilities_json ||
                       written.kubernetes_version != row.kubernetes_version;
  // A clock that was set back must not silence the row until it has caught up.
  const auto age = std::chrono::abs(row.updated_at - written.updated_at);
  if (!changed && age < kRowInterval) return;
  written = row;
  if (same_outage) return store_.Enqueue(store::PutCluster{std::move(row)});
  const std::string name = row.name.value;
  if (const auto stored = store_.Commit({store::PutCluster{std::move(row)}}); !stored) {
    log::Warn("the beginning or end of an outage was not stored",
              {{"cluster", name}, {"error", stored.error().message}});
  }
}

}  // namespace fedra::reconcile
