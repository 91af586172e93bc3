#include "manager/report/next_step.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.h"
#include "base/time.h"
#include "manager/placement/lines.h"
#include "manager/placement/note_reasons.h"
#include "manager/report/line.h"
#include "manager/report/row_states.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::report {
namespace {

using placement::Phase;
using store::VerdictRow;
using verdict::Outcome;

// What keeps more of the next failure than is there of this one.
std::string KeepMore(const WorkloadData::Incarnation& incarnation) {
  if (incarnation.attempts.empty()) return {};  // one that ran nowhere has left nothing to keep
  const bool has_log = std::ranges::any_of(incarnation.events, [](const store::EventRow& event) {
    return event.reason == placement::notes::kPodLog.name;
  });
  return fmt::format(
      "to see more of the next failure: {}dispatch.keepFailed keeps the job with its pods on the "
      "worker",
      has_log ? ""
              : "dispatch.failureLogLines keeps what failing pods print "
                "last, and ");
}

// Whether a worker that the job was not dispatched to could run it. With policy race there is none:
// all that can are tried at once.
bool AnotherCanRunIt(const WorkloadData::Incarnation& incarnation,
                     const std::vector<VerdictRow>& verdicts, const Query& query) {
  if (query.race) return false;
  const auto dispatched_to = [&](const ClusterName& worker) {
    return worker == incarnation.row.worker ||
           std::any_of(
               incarnation.attempts.begin(), incarnation.attempts.end(),
               [&](const auto& attempt) { return attempt.cluster == worker && !attempt.ended_at; });
  };
  return std::any_of(verdicts.begin(), verdicts.end(), [&](const VerdictRow& row) {
    return OutcomeOf(row) == Outcome::kYes && !dispatched_to(row.cluster);
  });
}

// "another worker is tried in 43s, if it is not admitted there until then".
NextStep UntilTimeOut(const WorkloadData::Incarnation& incarnation, const Query& query) {
  constexpr std::chrono::milliseconds kNow{0};
  if (!query.admission_timeout || incarnation.attempts.empty())
    return {"if it is not admitted there in time, another worker is tried", {}, {}};
  const auto left = incarnation.attempts.back().started_at + *query.admission_timeout - query.now;
  const std::string when = left > kNow ? "in " + FormatAge(left) : std::string("now");
  return {"if it is not admitted there, another worker is tried " + when, {}, {}};
}

// Whether every job lets those pass whose devices are free, as far as that is known for certain.
bool AllLetPass(const WorkloadData& data) {
  const auto lets_pass = [](const std::string& order) {
    return placement::ParseOrderPolicy(order) == placement::OrderPolicy::kBestEffort;
  };
  if (!data.daemon.heartbeat || !lets_pass(data.daemon.heartbeat->dispatch_order) || !data.manager)
    return false;
  const verify::Capacity queues = CapacityOf(*data.manager);
  return queues.queues > 0 && std::ranges::all_of(queues.orders, [&](const auto& own) {
           return !own.is_valid || lets_pass(own.order);
         });
}

// Whether the jobs ahead hold it no longer than what they need is free: their orders let others
// pass them on this worker. One that is in line for free devices is held as it is. (Where orders
// differ, any of several ahead may hold it, and only the first is known.)
bool MayPassAhead(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
                  const VerdictRow& row, const store::PlaceRow& place) {
  const std::vector<verify::KeptReason> reasons = ReasonsOf(row);
  const bool is_held = std::ranges::any_of(reasons, [](const verify::KeptReason& reason) {
    return reason.code == ToString(verdict::ReasonCode::kInLine);
  });
  if (is_held) return false;
  if (AllLetPass(data)) return true;
  const auto first = incarnation.first.find(place.first);
  if (place.place != 2 || first == incarnation.first.end()) return false;
  const auto order = placement::ParseOrderPolicy(first->second.dispatch_order);
  return order == placement::OrderPolicy::kBestEffort ||
         (order == placement::OrderPolicy::kBackfill && first->second.kept != row.cluster &&
          !first->second.is_bound_reached);
}

// What a job waits for on which workers, "gpu-east (2nd in line)" where others stand before it.
struct Waits {
  std::vector<std::string> turn;    // for the jobs ahead
  std::vector<std::string> behind;  // for devices: it may pass those ahead
  std::vector<std::string> busy;    // for devices: none is ahead
};

// A sentence each; empty: it waits nowhere.
std::string WaitsText(const Waits& waits) {
  std::vector<std::string> sentences;
  const auto also = [&] { return sentences.empty() ? "it waits" : "It also waits"; };
  if (!waits.turn.empty())
    sentences.push_back(fmt::format("{} for its turn on {}: jobs ahead in line are served first",
                                    also(), fmt::join(waits.turn, ", ")));
  if (!waits.behind.empty())
    sentences.push_back(
        fmt::format("{} for enough to be free on {}: it may pass jobs ahead in line that have to "
                    "wait for more",
                    also(), fmt::join(waits.behind, ", ")));
  if (!waits.busy.empty())
    sentences.push_back(
        fmt::format("{} for {}, and is dispatched in its turn, once enough is free there", also(),
                    fmt::join(waits.busy, ", ")));
  return fmt::format("{}", fmt::join(sentences, ". "));
}

// What a blocked job has to wait for: "wait" and "never" are different news.
std::string Outlook(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
                    const std::vector<VerdictRow>& verdicts) {
  Waits waits;
  bool none_ever = !verdicts.empty();
  for (const VerdictRow& row : verdicts) {
    const verify::Prospect prospect = ProspectOf(row);
    none_ever &= prospect == verify::Prospect::kNever;
    if (prospect != verify::Prospect::kWaits) continue;
    const auto& places = incarnation.places;
    const auto place = std::ranges::find(places, row.cluster, &store::PlaceRow::cluster);
    if (place == places.end() || place->place <= 1) {
      waits.busy.push_back(row.cluster.value);
      continue;
    }
    (MayPassAhead(data, incarnation, row, *place) ? waits.behind : waits.turn)
        .push_back(fmt::format("{} ({} in line)", row.cluster.value, PlaceText(place->place)));
  }
  std::string text = WaitsText(waits);
  if (!text.empty()) return text;
  return none_ever ? "waiting does not help: one of these has to change"
                   : "the job is judged again as soon as one of these changes";
}

// Who decides before fedra looks for a worker.
NextStep WhoDecides(const WorkloadData& data, const store::WorkloadRow& row) {
  const std::string workload =
      fmt::format("kubectl describe workload -n {} {}", row.key.ns, row.key.name);
  const auto waits_for = placement::ParseWaitsFor(row.waits_for);
  if (waits_for == placement::WaitsFor::kAdmissionCheck)
    return {
        "the controller of that AdmissionCheck decides: no worker is asked before", {workload}, {}};
  if (waits_for == placement::WaitsFor::kKueue)
    return {
        "the manager's Kueue does not ask fedra about it as it is: no worker is asked before it "
        "does. If it says so of DRA, docs/kueue-setup.md, step 1, has the way out; of pods that "
        "ask for no resource, step 4",
        {workload},
        {}};
  if (waits_for != placement::WaitsFor::kQuota) return {};
  const bool known = !row.cluster_queue.empty();
  if (known && data.manager && !WhyStopped(CapacityOf(*data.manager), row.cluster_queue).empty()) {
    return {fmt::format("ClusterQueue {} of the manager has to be active first: until then Kueue "
                        "reserves no quota",
                        row.cluster_queue),
            {"kubectl describe clusterqueue " + row.cluster_queue},
            {}};
  }
  const std::string queue =
      known ? "ClusterQueue " + row.cluster_queue
            : fmt::format("the ClusterQueue behind LocalQueue {}/{}", row.job.ns, row.queue);
  return {fmt::format("the manager's Kueue decides, by the quota of {}: no worker is asked before",
                      queue),
          {workload, known ? "kubectl describe clusterqueue " + row.cluster_queue
                           : fmt::format("kubectl get localqueue -n {} {}", row.job.ns, row.queue)},
          {}};
}

}  // namespace

NextStep NextStepOf(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
                    const std::vector<VerdictRow>& verdicts, const Query& query) {
  const store::WorkloadRow& row = incarnation.row;
  const auto phase = PhaseOf(row);
  const std::string history = "fedra history " + row.job.ToString();
  if (row.removed_at) return {"", {history}, {}};
  if (phase == Phase::kDispatching && AnotherCanRunIt(incarnation, verdicts, query))
    return UntilTimeOut(incarnation, query);
  if (phase == Phase::kWaiting) return WhoDecides(data, row);
  if (phase == Phase::kFailed) {
    // No API has groups of pods; the group's Workload has its name.
    const std::string kind =
        row.job_kind == tracking::kGroupOfPods ? "workload" : ToLower(row.job_kind);
    const std::string job = fmt::format("kubectl describe {} -n {} {} (on the manager)", kind,
                                        row.job.ns, row.job.name);
    return {KeepMore(incarnation), {job, history}, {}};
  }
  if (phase != Phase::kBlocked) return {};
  return {Outlook(data, incarnation, verdicts), {}, CountReasons(verdicts)};
}

}  // namespace fedra::report
