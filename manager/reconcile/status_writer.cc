#include "manager/reconcile/status_writer.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "manager/placement/attempt_end.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/parts.h"
#include "manager/tracking/json_fields.h"
#include "manager/verify/reason_json.h"
#include "verdict/reason_hash.h"

namespace fedra::reconcile {
namespace {

using placement::ClusterView;

// Of a large fleet the refusals are worth more than the two-hundredth Yes.
constexpr size_t kMaxVerdicts = 64;
// The room that is left changes with every job that goes to a worker, for all that wait: rows in
// which nothing else is new are not written more often.
constexpr std::chrono::seconds kHeadroomInterval{10};

// What is worth remembering, at most kMaxVerdicts: where it was dispatched, then refusals, then the
// rest.
std::vector<const ClusterView*> WorthRemembering(const Gathered& gathered) {
  std::vector<const ClusterView*> chosen;
  for (const ClusterView& cluster : gathered.clusters) chosen.push_back(&cluster);
  if (chosen.size() <= kMaxVerdicts) return chosen;
  const auto worth = [&](const ClusterView* cluster) {
    if (gathered.view.workload->IsPlacedOn(cluster->name)) return 0;
    return cluster->verdict.outcome == verdict::Outcome::kYes ? 2 : 1;
  };
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](const ClusterView* a, const ClusterView* b) { return worth(a) < worth(b); });
  chosen.resize(kMaxVerdicts);
  return chosen;
}

// WorkloadRow::reasons.
std::vector<std::string> CodesOf(const std::vector<const ClusterView*>& clusters) {
  std::set<std::string_view> codes;
  for (const ClusterView* cluster : clusters)
    for (const verdict::Reason& reason : cluster->verdict.reasons)
      codes.insert(verdict::ToString(reason.code));
  return {codes.begin(), codes.end()};
}

// Of what is kept of their verdicts: rows are made when that has changed.
uint64_t HashOf(const std::vector<const ClusterView*>& clusters, uint64_t hash) {
  const auto add = [&](std::string_view part) { hash = Hash64("\n", Hash64(part, hash)); };
  for (const ClusterView* cluster : clusters) {
    const verdict::Verdict& verdict = cluster->verdict;
    add(cluster->name.value);
    add(verdict::ToString(verdict.outcome));
    for (const verdict::Reason& reason : verdict.reasons) hash = verdict::HashOf(reason, hash);
    for (const int index : verdict.alternatives) add(std::to_string(index));
  }
  return hash;
}

// How often each one would fit changes with every job that goes anywhere.
uint64_t HeadroomOf(const std::vector<const ClusterView*>& clusters) {
  uint64_t hash = 0;
  for (const ClusterView* cluster : clusters)
    hash = Hash64(std::to_string(cluster->verdict.headroom), hash);
  return hash;
}

// Everything but the time that changes with every look.
bool SameRow(store::WorkloadRow& a, const store::WorkloadRow& b) {
  const WallTime before = std::exchange(a.updated_at, b.updated_at);
  const bool same = a == b;
  a.updated_at = before;
  return same;
}

std::string ShortKind(const std::string& kind) { return kind.substr(0, kind.find('.')); }

bool RowHasEnded(const store::WorkloadRow& row) {
  const auto phase = placement::ParsePhase(row.state);
  return phase == placement::Phase::kFinished || phase == placement::Phase::kFailed;
}

// What NeedsJson() is made of: to make it only when that has changed.
std::string NeedsKey(const tracking::Requirement& requirement) {
  return fmt::format("{}\n{}\n{}", fmt::join(requirement.TemplateNames(), ","),
                     fmt::join(requirement.ClaimNames(), ","), requirement.Pods());
}

std::string NeedsJson(const tracking::Requirement& requirement) {
  return tracking::Dump({{"templates", requirement.TemplateNames()},
                         {"claims", requirement.ClaimNames()},
                         {"pods", requirement.Pods()}});
}

}  // namespace

StatusWriter::StatusWriter(store::Store& store, const Clock& clock)
    : store_(store), clock_(clock) {}

Result<std::vector<ObjectKey>> StatusWriter::Load() {
  FEDRA_ASSIGN_OR_RETURN(const auto reader, store_.Read());
  FEDRA_ASSIGN_OR_RETURN(auto rows, reader->Workloads());
  std::vector<ObjectKey> keys;
  written_.With([&](auto& all) {
    for (store::WorkloadRow& row : rows) {
      keys.push_back(row.key);
      all[keys.back()].row = std::move(row);
    }
  });
  return keys;
}

void StatusWriter::Record(const Gathered& gathered, const placement::Decision& decision) {
  const tracking::Workload* workload = gathered.view.workload.get();
  if (workload == nullptr || !gathered.view.concerns_us()) return;
  const WallTime now = clock_.Now();
  store::WorkloadRow row{.uid = workload->uid,
                         .key = workload->key,
                         .job_kind = ShortKind(workload->requirement.kind),
                         .job = gathered.job,
                         .queue = workload->requirement.queue,
                         .state = std::string(placement::ToString(decision.phase)),
                         .worker = decision.worker,
                         .note = decision.why,
                         .created_at = workload->created,
                         .state_since = now,
                         .finished_at = std::nullopt,
                         .updated_at = now,
                         .removed_at = std::nullopt,
                         .needs_json = {},
                         .cluster_queue = gathered.cluster_queue,
                         .waits_for = std::string(placement::ToString(decision.waits_for)),
                         .priority = workload->priority.value};
  if (workload->Finished()) row.finished_at = workload->finished->since;
  Written written = written_.With([&](auto& all) { return std::move(all[workload->key]); });
  const bool same_workload = written.row.uid == row.uid;
  std::string needs_key = NeedsKey(workload->requirement);
  row.needs_json = same_workload && written.needs_key == needs_key
                       ? written.row.needs_json
                       : NeedsJson(workload->requirement);
  written.needs_key = std::move(needs_key);
  // A job that was deleted without its Workload (--cascade=orphan) leaves it without an owner.
  if (row.job.name.empty()) row.job = same_workload ? written.row.job : row.key;
  if (gathered.view.job != nullptr) row.labels_json = gathered.view.job->labels_json;
  if (same_workload && written.row.state == row.state) row.state_since = written.row.state_since;
  // Once its job is on a worker the choice is made, and `why` keeps what it was made from: that
  // worker is not judged again, its devices being the job's own.
  const auto has_job = [&](const ClusterView& cluster) {
    return cluster.job != nullptr || placement::RunsByTheirCopy(gathered.view, cluster);
  };
  const bool chosen = std::ranges::any_of(gathered.clusters, has_job) &&
                      decision.phase == placement::Phase::kRunning;
  // Nor are the others while it stays where it was dispatched to.
  const bool has_verdicts = gathered.judged && !chosen && !gathered.stays;
  std::vector<const ClusterView*> judged;
  if (has_verdicts) {
    judged = WorthRemembering(gathered);
    row.reasons = CodesOf(judged);
  } else if (same_workload) {
    row.reasons = written.row.reasons;
  }
  if (!SameRow(row, written.row)) {
    store_.Enqueue(store::PutWorkload{row});
    written.row = std::move(row);
  }
  if (has_verdicts) RecordVerdicts(judged, workload->uid, decision.worker, written);
  written_.With([&](auto& all) { all[workload->key] = std::move(written); });
}

void StatusWriter::RecordVerdicts(const std::vector<const ClusterView*>& clusters,
                                  const std::string& uid, const ClusterName& worker,
                                  Written& written) {
  const uint64_t hash = HashOf(clusters, Hash64(uid));
  const uint64_t headroom = HeadroomOf(clusters);
  const SteadyTime now = clock_.Steady();
  if (hash == written.verdicts && worker == written.verdicts_for &&
      (headroom == written.headroom || now - written.verdicts_at < kHeadroomInterval))
    return;
  written.verdicts = hash;
  written.headroom = headroom;
  written.verdicts_at = now;
  written.verdicts_for = worker;
  std::vector<store::VerdictRow> rows;
  for (const ClusterView* cluster : clusters) {
    rows.push_back({.uid = uid,
                    .cluster = cluster->name,
                    .outcome = std::string(verdict::ToString(cluster->verdict.outcome)),
                    .reasons_json = verify::KeptReasons(cluster->verdict.reasons),
                    .pods_fitting = cluster->verdict.pods_fitting,
                    .pods_wanted = cluster->verdict.pods_wanted,
                    .checked_at = clock_.Now(),
                    .alternatives_json = nlohmann::json(cluster->verdict.alternatives).dump(),
                    .headroom = cluster->verdict.headroom});
  }
  store_.Enqueue(store::PutVerdicts{uid, std::move(rows)});
}

std::vector<ObjectKey> StatusWriter::Known() const {
  return written_.With([](const auto& all) {
    std::vector<ObjectKey> keys;
    keys.reserve(all.size());
    for (const auto& [key, written] : all) keys.push_back(key);
    return keys;
  });
}

bool StatusWriter::AddNote(const Gathered& gathered, const placement::Note& note) {
  if (gathered.view.workload == nullptr) return true;
  const bool news = written_.With([&](auto& all) {
    Written& written = all[gathered.view.key];
    if (!note.subjects.empty() && written.reason == note.reason &&
        std::ranges::includes(written.subjects, note.subjects))
      return false;
    written.reason = note.reason;
    written.subjects = note.subjects;
    return true;
  });
  if (!news) return false;
  store_.Enqueue(store::AddEvent{{.id = 0,
                                  .uid = gathered.view.workload->uid,
                                  .key = gathered.view.key,
                                  .at = clock_.Now(),
                                  .reason = std::string(note.reason),
                                  .cluster = note.cluster,
                                  .message = note.message}});
  return true;
}

bool StatusWriter::WantsLog(const Gathered& gathered) {
  if (gathered.view.workload == nullptr) return false;
  const std::string& uid = gathered.view.workload->uid;
  if (written_.With([&](auto& all) { return all[gathered.view.key].log_kept_of == uid; }))
    return false;
  const auto reader = store_.Read();
  const auto events = reader ? (*reader)->Events(uid) : Fail(reader.error());
  if (!events) return false;
  const bool kept = std::ranges::any_of(*events, [](const store::EventRow& event) {
    return event.reason == placement::notes::kPodLog.name;
  });
  // What the last run kept is asked for once, not with every look.
  if (kept) written_.With([&](auto& all) { all[gathered.view.key].log_kept_of = uid; });
  return !kept;
}

void StatusWriter::KeepLog(const Gathered& gathered, const ClusterName& worker, std::string log) {
  const std::string& uid = gathered.view.workload->uid;
  written_.With([&](auto& all) { all[gathered.view.key].log_kept_of = uid; });
  store_.Enqueue(store::AddEvent{{.id = 0,
                                  .uid = uid,
                                  .key = gathered.view.key,
                                  .at = clock_.Now(),
                                  .reason = std::string(placement::notes::kPodLog.name),
                                  .cluster = worker,
                                  .message = std::move(log)}});
}

void StatusWriter::Gone(const ObjectKey& workload, bool is_deleted) {
  const Written gone = written_.With([&](auto& all) {
    const auto found = all.find(workload);
    if (found == all.end()) return Written();
    Written known = std::move(found->second);
    all.erase(found);
    return known;
  });
  if (gone.row.uid.empty()) return;
  if (is_deleted && !RowHasEnded(gone.row)) RecordDeletion(gone);
  store_.Enqueue(store::RemoveWorkload{gone.row.uid, clock_.Now()});
}

// When it was deleted while no fedra ran, or between two looks, nothing has said so yet.
void StatusWriter::RecordDeletion(const Written& gone) {
  const std::string& uid = gone.row.uid;
  const auto reader = store_.Read();
  if (!reader) return;
  const auto attempts = (*reader)->Attempts(uid);
  const auto events = (*reader)->Events(uid);
  if (!attempts || !events) return;
  const WallTime now = clock_.Now();
  const std::string outcome(ToString(placement::AttemptEnd::kDeleted));
  store::EndAttempts ended{uid, {}};
  for (const store::AttemptRow& attempt : *attempts)
    if (!attempt.ended_at)
      ended.ends.push_back({attempt.number, attempt.cluster, now, outcome, ""});
  if (!ended.ends.empty()) store_.Enqueue(std::move(ended));
  const auto& note = placement::notes::kDeleted;
  const auto says_so = [&](const store::EventRow& event) { return event.reason == note.name; };
  if (gone.reason == note.name || std::ranges::any_of(*events, says_so)) return;
  store_.Enqueue(store::AddEvent{{.id = 0,
                                  .uid = uid,
                                  .key = gone.row.key,
                                  .at = now,
                                  .reason = std::string(note.name),
                                  .cluster = gone.row.worker,
                                  .message = placement::notes::kDeletionNoticed}});
}

}  // namespace fedra::reconcile
