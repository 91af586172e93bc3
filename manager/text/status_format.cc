#include "manager/text/status_format.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "base/time.h"
#include "manager/report/freshness.h"
#include "manager/report/row_states.h"
#include "manager/report/viewer_roles.h"
#include "manager/text/display_text.h"
#include "manager/text/row_tones.h"
#include "verdict/reason.h"

namespace fedra::text {
namespace {

// The table below the headline names every worker; the note would do it again.
std::string ShortNote(const report::WorkloadData& data,
                      const report::WorkloadData::Incarnation& incarnation) {
  const auto& verdicts = incarnation.verdicts;
  if (report::PhaseOf(incarnation.row) != placement::Phase::kBlocked ||
      !report::AllRefuse(verdicts, data.configured_workers))
    return incarnation.row.note;
  const std::string waits = WaitsForText(report::BusyWorkers(verdicts));
  if (!waits.empty()) return "it " + waits;
  const auto unknown = static_cast<size_t>(
      std::ranges::count(verdicts, verdict::Outcome::kUnknown,
                         [](const store::VerdictRow& row) { return report::OutcomeOf(row); }));
  if (unknown == 0) return fmt::format("none of {} can run it", Counted(verdicts.size(), "worker"));
  return fmt::format("0 of {} can run it, {} unknown", Counted(verdicts.size(), "worker"), unknown);
}

// What a manager that is out of contact means for the jobs.
constexpr const char* kNothingDispatched =
    "; nothing is dispatched meanwhile, and jobs submitted since are not seen";

// More remedies than this would fill the screen; `explain` has the others.
constexpr size_t kMaxRemedies = 3;

// Which of several it is, and who leads. Of one that has ended only what makes its jobs old.
std::string ReplicaLine(const report::Daemon& daemon, const ViewSettings& settings) {
  if (!daemon.heartbeat || daemon.heartbeat->role.empty()) return {};
  const WallTime now = settings.query.now;
  const store::HeartbeatRow& row = *daemon.heartbeat;
  const bool leads = row.role == store::kLeaderRole;
  const bool runs = report::IsRunning(daemon, now);
  if (leads && !runs) return {};
  const std::string since =
      row.leader_since && runs ? " since " + Since(*row.leader_since, now) : "";
  std::string text =
      fmt::format("REPLICA  {}{}, after {}", leads ? "leads" : report::StandbyText(daemon, now),
                  since, Counted(row.takeovers, "take-over"));
  if (!row.lead_problem.empty() && runs)
    text +=
        fmt::format("; {} {}", leads ? "its Lease:" : "this one does not lead:", row.lead_problem);
  text = Toned(Printable(text, settings.style.utf8),
               leads && row.lead_problem.empty() ? Tone::kFaint : Tone::kWarning, settings.style) +
         "\n";
  if (row.config_differs.empty() || !runs) return text;
  return text +
         Toned(fmt::format("REPLICA  its configuration is not the leader's in {}: give both the "
                           "same, or jobs are decided otherwise after a take-over",
                           Printable(row.config_differs, settings.style.utf8)),
               Tone::kWarning, settings.style) +
         "\n";
}

}  // namespace

Freshness FreshnessOf(const report::Daemon& daemon, WallTime now) {
  if (!daemon.heartbeat) return {"no daemon has written here yet", Tone::kWarning};
  const bool current = report::IsRunning(daemon, now) && report::IsFresh(daemon, now);
  return {fmt::format("as of {} ago", Since(daemon.heartbeat->at, now)),
          current ? Tone::kFaint : Tone::kWarning};
}

Freshness JobFreshness(const report::Daemon& daemon, WallTime now) {
  if (!report::IsStandby(daemon)) return FreshnessOf(daemon, now);
  const auto& decided_at = daemon.heartbeat->decided_at;
  return {decided_at ? fmt::format("as of {} ago, by a standby", Since(*decided_at, now))
                     : std::string("by a standby, which has never led"),
          Tone::kWarning};
}

std::string DaemonLine(const report::Daemon& daemon, const ViewSettings& settings) {
  if (!daemon.heartbeat) return {};
  const WallTime at = daemon.heartbeat->at;
  const std::string age = Since(at, settings.query.now);
  std::string text;
  if (!report::IsRunning(daemon, settings.query.now)) {
    text = fmt::format("DAEMON  not running: what follows is as of {}, {} ago", FormatRfc3339(at),
                       age);
  } else if (!report::IsFresh(daemon, settings.query.now)) {
    text = fmt::format(
        "DAEMON  runs, but has written nothing for {} (it is starting, or its log says why)", age);
  } else if (!daemon.heartbeat->restart_needed.empty()) {
    text = fmt::format(
        "DAEMON  does not apply every change of the configuration yet: restart it for {}",
        daemon.heartbeat->restart_needed);
  }
  if (!text.empty()) text = Toned(text, Tone::kWarning, settings.style) + "\n";
  return text + ReplicaLine(daemon, settings);
}

std::string ManagerLine(const std::optional<store::ClusterRow>& manager,
                        const ViewSettings& settings) {
  if (!manager ||
      (report::PhaseOf(*manager) == verify::ClusterPhase::kConnected && manager->why.empty()))
    return {};
  std::string text = fmt::format("MANAGER  {} for {}", manager->phase,
                                 Since(manager->phase_since, settings.query.now));
  if (!manager->why.empty()) text += ": " + manager->why;
  if (report::IsOutOfContact(*manager)) text += kNothingDispatched;
  // Connected, with something to be said of it.
  const Tone tone = ToneOf(*manager) == Tone::kGood ? Tone::kWarning : ToneOf(*manager);
  return Toned(text, tone, settings.style) + "\n";
}

std::string WaitsForText(const std::vector<std::string>& busy) {
  constexpr size_t kMostNamed = 4;
  if (busy.empty()) return {};
  if (busy.size() > kMostNamed) return fmt::format("waits for {} workers", busy.size());
  return fmt::format("waits for {}", fmt::join(busy, ", "));
}

std::string BlockedText(const std::vector<std::string>& busy) {
  const std::string waits = WaitsForText(busy);
  return waits.empty() ? "no worker eligible" : waits;
}

std::string WithheldText(const report::Withheld& withheld, const Style& style) {
  std::string text;
  const auto add = [&](const char* what, std::string_view role, const char* where) {
    text += LabelledLine(text.empty() ? "rights" : "",
                         fmt::format("what {} is withheld: that is a right in the ClusterRole {}{}",
                                     what, role, where),
                         style);
  };
  if (withheld.of_workers) add("workers say", report::kFleetViewerRole, "");
  if (withheld.of_namespaces) add("names other namespaces", report::kJobViewerRole, " there");
  if (withheld.of_pods) add("pods have printed", report::kJobViewerRole, "");
  return text;
}

std::string Since(WallTime then, WallTime now) { return FormatAge(now - then); }

Table AttemptTable(const std::vector<store::AttemptRow>& attempts, const ViewSettings& settings) {
  const auto when = [&](WallTime time) {
    return settings.format == Format::kWide ? FormatRfc3339(time) : Since(time, settings.query.now);
  };
  Table table({"ATTEMPT", "WORKER", "BEGAN", "ENDED", "OUTCOME", "MESSAGE"}, Overflow::kWrap);
  for (const store::AttemptRow& row : attempts) {
    table.Add({std::to_string(row.number), row.cluster.value, when(row.started_at),
               row.ended_at ? when(*row.ended_at) : "-", row.outcome.empty() ? "-" : row.outcome,
               row.message});
  }
  return table;
}

std::string Remedies(std::vector<report::ReasonCount> counts, size_t indent, const Style& style) {
  report::SortByCount(counts);
  std::string text;
  std::vector<std::string> left_out;
  std::string first;
  size_t shown = 0;
  for (const report::ReasonCount& count : counts) {
    if (count.remedy.empty()) continue;
    if (shown++ >= kMaxRemedies) {
      left_out.push_back(count.code);
      continue;
    }
    if (first.empty()) first = count.code;
    text += Paragraph(count.code + ": " + count.remedy, indent, style);
  }
  if (!left_out.empty())
    text += Paragraph(fmt::format("also: {}", fmt::join(left_out, ", ")), indent, style);
  if (!first.empty()) {
    const std::string& next = left_out.empty() ? first : left_out.front();
    text += Paragraph("more: fedra explain " + next, indent, style);
  }
  return text;
}

std::string Ordinal(int index) {
  constexpr std::string_view kWords[] = {"first", "second", "third",   "fourth",
                                         "fifth", "sixth",  "seventh", "eighth"};
  if (index >= 0 && static_cast<size_t>(index) < std::size(kWords))
    return std::string(kWords[static_cast<size_t>(index)]);
  return fmt::format("{}th", index + 1);
}

std::string RankingText(const store::VerdictRow& verdict) {
  if (verdict.pods_fitting == 0) return {};
  std::string text;
  for (const int index : report::AlternativesOf(verdict))
    text += (text.empty() ? "" : " and ") + Ordinal(index);
  if (!text.empty()) text += " alternative, ";
  return text + Counted(std::max(0, verdict.headroom), "device") + " to spare";
}

std::string Headline(const report::WorkloadData& data,
                     const report::WorkloadData::Incarnation& incarnation,
                     const ViewSettings& settings) {
  const store::WorkloadRow& row = incarnation.row;
  const Freshness freshness = JobFreshness(data.daemon, settings.query.now);
  // "ml/train" is a Job: of several kinds with one name each is shown.
  std::string line = row.job_kind == "Job" || row.job_kind.empty()
                         ? row.job.ToString()
                         : row.job_kind + " " + row.job.ToString();
  if (row.removed_at && report::PhaseOf(row) == placement::Phase::kGone) {
    line += fmt::format(" was deleted {} ago{}", Since(*row.removed_at, settings.query.now),
                        row.worker.empty() ? "" : " while it was on " + row.worker.value);
  } else if (row.removed_at) {
    line += fmt::format(" was removed from the manager {} ago, last seen {}{}",
                        Since(*row.removed_at, settings.query.now), row.state,
                        row.worker.empty() ? "" : " on " + row.worker.value);
  } else {
    line += " " + report::Predicate(row);
  }
  if (const std::string note = ShortNote(data, incarnation); !note.empty()) line += ": " + note;
  if (row.removed_at) return Paragraph(line, 0, settings.style);
  const std::string age =
      fmt::format(" (for {}; {})", Since(row.state_since, settings.query.now), freshness.text);
  // Where it is broken into lines the age has no colour of its own.
  std::string whole = Paragraph(line + age, 0, settings.style);
  if (whole.find('\n') + 1 < whole.size()) return whole;
  return Toned(line, Tone::kPlain, settings.style) + Toned(age, freshness.tone, settings.style) +
         "\n";
}

Output RenderEach(
    const report::WorkloadData& data, const report::Incarnations& chosen,
    const ViewSettings& settings,
    const std::function<std::string(const report::WorkloadData::Incarnation&)>& text) {
  Output output;
  for (const auto* incarnation : chosen) {
    if (settings.format == Format::kName) {
      output.out += Printable(incarnation->row.job.ToString()) + "\n";
    } else {
      const bool apart = !output.out.empty() && settings.style.headers;
      output.out += (apart ? "\n" : "") + text(*incarnation);
    }
  }
  if (IsTable(settings.format) && settings.style.headers) {
    output.out.insert(0, DaemonLine(data.daemon, settings));
  } else {
    output.note = report::StaleText(data.daemon, settings.query.now);  // on stdout are only rows
  }
  return output;
}

}  // namespace fedra::text
