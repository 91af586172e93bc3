#include "manager/api/withhold.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "manager/placement/note_reasons.h"
#include "manager/verify/capacity.h"
#include "manager/verify/reason_json.h"

namespace fedra::api {
namespace {

using nlohmann::ordered_json;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

template <class T, class... Types>
constexpr bool kIsOneOf = (std::is_same_v<T, Types> || ...);

// Facts that name no job, and no object but those that the job itself names, its own and the
// worker's nodes, devices and queues. What they quote is searched for names. No default: a new type
// of facts does not compile before it stands here, or in Censor::WithoutNames.
template <class T>
concept NamesNoOthers =
    kIsOneOf<T, verdict::Unreadable, verdict::Drift, verdict::Quota, verdict::Undeclared,
             verdict::MissingLabel, verdict::QueueStopped, verdict::QueueInactive,
             verdict::ApiVersion, verdict::NameTaken, verdict::Connection, verdict::OtherScheduler,
             verdict::Gang, verdict::BroadTaintRules, verdict::NotAllowed, verdict::Setback,
             verdict::BrokenSelector, verdict::JointShortage, verdict::NodeRoom,
             verdict::NoSuchResource, verdict::NodeCounts, verdict::PodsFit, verdict::FullClaim,
             verdict::EarlierPods, verdict::Unbindable, verdict::SchedulerError,
             verdict::SearchLimit, verdict::GroupTerms, verdict::Cordoned, verdict::MovedAway,
             verdict::ReleaseDoubt, verdict::PodTerms>;

bool IsOfName(char c) { return IsAlphanumeric(c) || c == '-'; }

// Whether the text has "NAMESPACE/" or "namespace NAMESPACE" with a namespace that is hidden.
bool Mentions(std::string_view text, const std::set<std::string>& hidden) {
  const auto is_hidden = [&](size_t begin, size_t end) {
    return begin < end && hidden.contains(std::string(text.substr(begin, end - begin)));
  };
  for (size_t end = text.find('/'); end != text.npos; end = text.find('/', end + 1)) {
    size_t begin = end;
    while (begin > 0 && IsOfName(text[begin - 1])) --begin;
    if (is_hidden(begin, end)) return true;
  }
  constexpr std::string_view kWord = "namespace";
  for (size_t at = text.find(kWord); at != text.npos; at = text.find(kWord, at + 1)) {
    size_t begin = at + kWord.size();
    while (begin < text.size() && !IsOfName(text[begin])) ++begin;
    size_t end = begin;
    while (end < text.size() && IsOfName(text[end])) ++end;
    if (is_hidden(begin, end)) return true;
  }
  return false;
}

class Censor final {
 public:
  // `withheld`: takes what is withheld, where the reader is to be told so; null: nowhere.
  Censor(const Viewer& viewer, const std::set<std::string>& hidden,
         report::Withheld* withheld = nullptr)
      : viewer_(viewer), hidden_(hidden), withheld_(withheld) {}

  bool SeesAll() const { return viewer_.everywhere; }
  bool Sees(const std::string& ns) const { return SeesAll() || viewer_.namespaces.contains(ns); }

  // Whether it names a namespace that is hidden.
  bool MayNotSay(const std::string& text) const { return !SeesAll() && Mentions(text, hidden_); }
  // Of what fedra, a worker or the manager has written.
  void Prose(std::string& text) const {
    if (MayNotSay(text)) Withhold(text, &report::Withheld::of_namespaces);
  }
  // The same, of what is about a worker. `shown`: what the reader sees elsewhere, as the job's
  // end, to which the worker may have added something.
  void Detail(std::string& text, std::string_view shown) const {
    if (viewer_.fleet) return Prose(text);
    if (text.empty() || text == shown) return;
    const std::string beginning = std::string(shown) + "; ";
    const bool begins = !shown.empty() && text.starts_with(beginning);
    Withhold(text, &report::Withheld::of_workers);
    if (begins) text.insert(0, beginning);
  }
  // `shown`: the job's note.
  void Event(store::EventRow& event, std::string_view shown) const {
    namespace notes = placement::notes;
    if (event.reason == notes::kPodLog.name) {
      if (!viewer_.logs) Withhold(event.message, &report::Withheld::of_pods);
    } else if (notes::HasOwnWords(event.reason) || event.message == notes::kDeletionNoticed) {
      Prose(event.message);
    } else {
      Detail(event.message, shown);
    }
  }

  std::string Reasons(const std::string& reasons_json) const {
    if (viewer_.fleet && viewer_.everywhere) return reasons_json;
    ordered_json list = ordered_json::array();
    for (const verify::KeptReason& kept : verify::ParseKeptReasons(reasons_json)) {
      list.push_back(verify::KeptJson(Shown(kept.reason)));
      list.back()["code"] = kept.code;
    }
    return list.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

  // Without the names that are hidden; its code alone, where that is not enough.
  verdict::Reason Shown(verdict::Reason reason) const {
    if (viewer_.fleet && viewer_.everywhere) return reason;
    if (viewer_.fleet && WithoutNames(reason.facts)) {
      const std::string kept =
          verify::KeptJson(reason).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
      if (!Mentions(kept, hidden_)) return reason;
    }
    std::string words;
    Withhold(words,
             viewer_.fleet ? &report::Withheld::of_namespaces : &report::Withheld::of_workers);
    return {.code = reason.code, .object = "", .facts = verdict::Sentence{std::move(words)}};
  }

 private:
  void Withhold(std::string& text, bool report::Withheld::* right) const {
    text = kWithheld;
    if (withheld_ != nullptr) withheld_->*right = true;
  }

  // False: what is left cannot be told from what is to be withheld.
  bool WithoutNames(verdict::Facts& facts) const {
    return std::visit(
        Overloaded{[&](verdict::DeviceCounts& counts) { return Counts(counts); },
                   [&](verdict::AlternativeCounts& all) {
                     for (auto& each : all.alternatives) Counts(each.counts);
                     return true;
                   },
                   [&](verdict::InLine& line) {
                     if (line.first && !Sees(line.first->ns)) {
                       line.first.reset();
                       line.priority = 0;
                     }
                     return true;
                   },
                   [&](verdict::Reserved& reserved) {
                     if (!Sees(reserved.job.ns)) reserved.job = {};
                     return true;
                   },
                   [&](verdict::ClaimPlace& place) { return !place.user || Sees(place.user->ns); },
                   [&](verdict::Missing& missing) {
                     return missing.key.ns.empty() || Sees(missing.key.ns);
                   },
                   // Words alone, of an earlier release: names in them cannot be found.
                   [&](verdict::Sentence&) { return viewer_.everywhere; },
                   [](NamesNoOthers auto&) { return true; }},
        static_cast<verdict::Facts::Variant&>(facts));
  }

  bool Counts(verdict::DeviceCounts& counts) const {
    for (verdict::CountedCause& part : counts.parts) {
      part.all_holders = std::max(part.all_holders, part.holders.size());
      std::erase_if(part.holders, [&](const auto& holder) { return !Sees(holder.name.ns); });
    }
    return true;
  }

  const Viewer& viewer_;
  const std::set<std::string>& hidden_;
  report::Withheld* const withheld_;
};

std::vector<std::string> Omitted(const Viewer& viewer) {
  std::vector<std::string> omitted;
  if (!viewer.fleet) omitted.emplace_back("workers");
  if (!viewer.everywhere) omitted.emplace_back("namespaces");
  return omitted;
}

void OfDaemon(const Viewer& viewer, report::Daemon& daemon,
              std::optional<store::ClusterRow>& manager) {
  daemon.omitted = Omitted(viewer);
  if (daemon.heartbeat) Withhold(viewer, *daemon.heartbeat);
  if (viewer.fleet || !manager) return;
  manager->why.clear();
  manager->note.clear();
  manager->capacity_json = "{}";
}

// How many queues are stopped stays; which ones, only of those that may be named.
void OfCluster(const Censor& censor, store::ClusterRow& row) {
  censor.Prose(row.why);
  censor.Prose(row.note);
  if (censor.SeesAll()) return;
  Result<verify::Capacity> capacity = verify::ParseCapacity(row.capacity_json);
  if (!capacity) {
    row.capacity_json = "{}";
    return;
  }
  const size_t hidden = std::erase_if(capacity->stopped_queues, [&](const auto& queue) {
    return censor.MayNotSay(queue.name) || censor.MayNotSay(queue.why);
  });
  if (hidden > 0) row.capacity_json = verify::ToJsonText(*capacity);
}

// Of a job, on a worker: how much room there would be is the worker's.
void OfVerdict(const Viewer& viewer, const Censor& censor, store::VerdictRow& row) {
  row.reasons_json = censor.Reasons(row.reasons_json);
  if (viewer.fleet) return;
  const store::VerdictRow nothing;
  row.pods_fitting = nothing.pods_fitting;
  row.pods_wanted = nothing.pods_wanted;
  row.alternatives_json = nothing.alternatives_json;
  row.headroom = nothing.headroom;
}

// Counts of each request name holders in several places, and the reasons say what decides: who does
// not see every namespace gets these alone.
void OfVerdict(const Viewer& viewer, const Censor& censor, report::JobVerdict& item) {
  for (verdict::Reason& reason : item.verdict.reasons) reason = censor.Shown(std::move(reason));
  if (!viewer.everywhere) item.pod_sets.clear();
  for (report::VerdictNote& note : item.notes) {
    censor.Prose(note.object);
    censor.Prose(note.message);
    censor.Prose(note.remedy);
  }
  if (viewer.fleet) return;
  item.notes.clear();
  item.devices_judged = false;
  item.pod_sets.clear();
  item.alternatives.clear();
}

}  // namespace

Result<std::set<std::string>> HiddenFrom(const Viewer& viewer, store::Reader& reader) {
  std::set<std::string> hidden;
  if (viewer.everywhere) return hidden;
  FEDRA_ASSIGN_OR_RETURN(hidden, reader.Namespaces());
  for (const std::string& ns : viewer.namespaces) hidden.erase(ns);
  return hidden;
}

void Withhold(const Viewer& viewer, store::HeartbeatRow& row) {
  if (viewer.fleet) return;
  row.restart_needed.clear();
  row.lead_problem.clear();
  row.config_differs.clear();
}

void Withhold(const Viewer& viewer, templates::TemplateSurvey& survey) {
  if (viewer.everywhere) return;
  for (templates::TemplateStep& step : survey.steps)
    if (step.awaits && !viewer.namespaces.contains(step.awaits->ns))
      step.plan.why = templates::WhenDispatched(std::nullopt);
}

void Withhold(const Viewer& viewer, const std::set<std::string>& hidden, report::StatusData& data) {
  const Censor censor(viewer, hidden);
  OfDaemon(viewer, data.daemon, data.manager);
  if (data.manager) OfCluster(censor, *data.manager);
  data.shows_jobs = viewer.everywhere || !viewer.namespaces.empty();
  if (!viewer.fleet) {
    data.clusters.clear();
    data.left_on.clear();
  }
  for (store::ClusterRow& row : data.clusters) OfCluster(censor, row);
  for (store::WorkloadRow& row : data.jobs.shown) censor.Prose(row.note);
  for (auto& [key, row] : data.first) censor.Prose(row.note);
  for (store::VerdictRow& row : data.verdicts) OfVerdict(viewer, censor, row);
  std::map<std::string_view, std::string_view> notes;  // as they are shown, by uid
  for (const store::WorkloadRow& row : data.jobs.shown) notes.emplace(row.uid, row.note);
  for (store::AttemptRow& row : data.attempts) censor.Detail(row.message, notes[row.uid]);
}

void Withhold(const Viewer& viewer, const std::set<std::string>& hidden,
              report::WorkloadData& data) {
  const Censor censor(viewer, hidden);
  OfDaemon(viewer, data.daemon, data.manager);
  if (data.manager) OfCluster(censor, *data.manager);
  for (report::WorkloadData::Incarnation& job : data.incarnations) {
    const Censor of_verdicts(viewer, hidden, &job.withheld_of_verdicts);
    const Censor of_history(viewer, hidden, &job.withheld_of_history);
    const std::string& note = job.row.note;
    censor.Prose(job.row.note);
    for (store::VerdictRow& row : job.verdicts) OfVerdict(viewer, of_verdicts, row);
    for (store::AttemptRow& row : job.attempts) of_history.Detail(row.message, note);
    for (store::PlacementFailure& failure : job.failures) censor.Detail(failure.message, note);
    for (store::EventRow& event : job.events) of_history.Event(event, note);
    for (auto& [key, first] : job.first) censor.Prose(first.row.note);
  }
}

void Withhold(const Viewer& viewer, const std::set<std::string>& hidden,
              report::JobReport& report) {
  const Censor censor(viewer, hidden, &report.withheld);
  censor.Prose(report.note);
  for (report::JobVerdict& item : report.verdicts) OfVerdict(viewer, censor, item);
}

}  // namespace fedra::api
