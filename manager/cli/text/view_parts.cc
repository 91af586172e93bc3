#include "manager/cli/text/view_parts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/time.h"
#include "manager/cli/text/display_text.h"
#include "manager/cli/text/row_states.h"
#include "verdict/reason.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;

// The table below the headline names every worker; the note would do it again.
std::string ShortNote(const WorkloadData& data, const WorkloadData::Incarnation& incarnation) {
  const auto& verdicts = incarnation.verdicts;
  if (PhaseOf(incarnation.row) != placement::Phase::kBlocked ||
      !AllRefuse(verdicts, data.configured_workers))
    return incarnation.row.note;
  return fmt::format("none of {} can run it", Counted(verdicts.size(), "worker"));
}

// The daemon writes its heartbeat every two seconds; a few may be missed on a busy disk.
constexpr std::chrono::seconds kFresh{15};

bool IsFresh(const Daemon& daemon, WallTime now) {
  return daemon.heartbeat && now - daemon.heartbeat->at <= kFresh;
}

// More remedies than this are a page nobody reads; `explain` has the others.
constexpr size_t kMaxRemedies = 3;

void SortByCount(std::vector<ReasonCount>& counts) {
  std::stable_sort(counts.begin(), counts.end(), [](const ReasonCount& a, const ReasonCount& b) {
    return a.workers > b.workers;
  });
}

}  // namespace

bool AllRefuse(const std::vector<store::VerdictRow>& verdicts, size_t workers) {
  return !verdicts.empty() && verdicts.size() >= workers &&
         std::all_of(verdicts.begin(), verdicts.end(), [](const store::VerdictRow& verdict) {
           const auto outcome = OutcomeOf(verdict);
           return outcome == verdict::Outcome::kNo || outcome == verdict::Outcome::kUnknown;
         });
}

bool IsRunning(const Daemon& daemon, WallTime now) {
  return daemon.holds_store.value_or(IsFresh(daemon, now));
}

Freshness FreshnessOf(const Daemon& daemon, WallTime now) {
  if (!daemon.heartbeat) return {"no daemon has written here yet", Tone::kWarning};
  const bool current = IsRunning(daemon, now) && IsFresh(daemon, now);
  return {fmt::format("as of {} ago", Since(daemon.heartbeat->at, now)),
          current ? Tone::kFaint : Tone::kWarning};
}

std::string StaleText(const Daemon& daemon, WallTime now) {
  if (!daemon.heartbeat) {
    return daemon.holds_store == true ? ""
                                      : "the daemon is not running, and none has written here yet";
  }
  const std::string age = Since(daemon.heartbeat->at, now);
  if (!IsRunning(daemon, now)) {
    return fmt::format("the daemon is not running, and what it knew is as of {}, {} ago",
                       FormatRfc3339(daemon.heartbeat->at), age);
  }
  if (IsFresh(daemon, now)) return {};
  return fmt::format("the daemon has written nothing for {}", age);
}

std::string DaemonLine(const Daemon& daemon, const ViewSettings& settings) {
  if (!daemon.heartbeat) return {};
  const WallTime at = daemon.heartbeat->at;
  const std::string age = Since(at, settings.now);
  std::string text;
  if (!IsRunning(daemon, settings.now)) {
    text = fmt::format("DAEMON  not running: what follows is as of {}, {} ago", FormatRfc3339(at),
                       age);
  } else if (!IsFresh(daemon, settings.now)) {
    text = fmt::format(
        "DAEMON  runs, but has written nothing for {} (it is starting, or its log says why)", age);
  } else if (!daemon.heartbeat->restart_needed.empty()) {
    text = fmt::format("DAEMON  goes by the configuration of its start: a restart takes over {}",
                       daemon.heartbeat->restart_needed);
  }
  return text.empty() ? text : Toned(text, Tone::kWarning, settings.style) + "\n";
}

std::string ManagerLine(const std::optional<store::ClusterRow>& manager,
                        const ViewSettings& settings) {
  if (!manager ||
      (PhaseOf(*manager) == reconcile::ClusterPhase::kConnected && manager->why.empty()))
    return {};
  std::string text =
      fmt::format("MANAGER  {} for {}", manager->phase, Since(manager->phase_since, settings.now));
  if (!manager->why.empty()) text += ": " + manager->why;
  return Toned(text, ToneOf(*manager), settings.style) + "\n";
}

std::string Since(WallTime then, WallTime now) { return FormatAge(now - then); }

Table AttemptTable(const std::vector<store::AttemptRow>& attempts, const ViewSettings& settings) {
  const auto when = [&](WallTime time) {
    return settings.format == Format::kWide ? FormatRfc3339(time) : Since(time, settings.now);
  };
  Table table({"ATTEMPT", "WORKER", "BEGAN", "ENDED", "OUTCOME", "MESSAGE"});
  for (const store::AttemptRow& row : attempts) {
    table.Add({std::to_string(row.number), row.cluster.value, when(row.started_at),
               row.ended_at ? when(*row.ended_at) : "-", row.outcome.empty() ? "-" : row.outcome,
               row.message});
  }
  return table;
}

std::vector<verify::KeptReason> ReasonsOf(const store::VerdictRow& verdict) {
  return verify::ParseKeptReasons(verdict.reasons_json);
}

verify::Prospect ProspectOf(const store::VerdictRow& verdict) {
  if (OutcomeOf(verdict) != verdict::Outcome::kNo) return verify::Prospect::kUnclear;
  std::vector<verdict::ReasonCode> codes;
  for (const verify::KeptReason& reason : ReasonsOf(verdict)) {
    const auto code = verdict::ParseReasonCode(reason.code);
    if (!code) return verify::Prospect::kUnclear;
    codes.push_back(*code);
  }
  return verify::ProspectOf(codes);
}

std::optional<Needs> NeedsOf(const store::WorkloadRow& row) {
  const ordered_json parsed =
      ordered_json::parse(row.needs_json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return std::nullopt;
  const auto pods = parsed.find("pods");
  if (pods == parsed.end() || !pods->is_number_integer()) return std::nullopt;
  const auto names = [&](const char* key) {
    std::vector<std::string> found;
    for (const ordered_json& name : parsed.value(key, ordered_json::array()))
      if (name.is_string()) found.push_back(name.get<std::string>());
    return found;
  };
  return Needs{names("templates"), names("claims"), pods->get<int>()};
}

std::string NeedsText(const store::WorkloadRow& row) {
  const std::optional<Needs> needs = NeedsOf(row);
  if (!needs) return {};
  std::string text = fmt::format("queue {}/{}", row.key.ns, row.queue);
  for (const std::string& name : needs->templates) text += " · template " + name;
  for (const std::string& name : needs->claims) text += " · claim " + name;
  return text + " · " + Counted(needs->pods, "pod");
}

std::vector<int> AlternativesOf(const store::VerdictRow& verdict) {
  std::vector<int> indices;
  const ordered_json parsed =
      ordered_json::parse(verdict.alternatives_json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_array()) return indices;
  for (const ordered_json& index : parsed)
    if (index.is_number_integer()) indices.push_back(index.get<int>());
  return indices;
}

void CountReason(const std::string& code, std::vector<ReasonCount>& counts) {
  const auto known = std::find_if(counts.begin(), counts.end(),
                                  [&](const ReasonCount& count) { return count.code == code; });
  if (known == counts.end()) {
    counts.push_back({code, 1});
  } else {
    ++known->workers;
  }
}

std::vector<ReasonCount> CountReasons(const std::vector<store::VerdictRow>& verdicts) {
  std::vector<ReasonCount> counts;
  for (const store::VerdictRow& verdict : verdicts) {
    if (OutcomeOf(verdict) == verdict::Outcome::kYes) continue;
    const std::vector<verify::KeptReason> reasons = ReasonsOf(verdict);
    CountReason(reasons.empty() ? verdict.outcome : reasons.front().code, counts);
  }
  SortByCount(counts);
  return counts;
}

std::string RemedyOf(const std::string& code) {
  const std::optional<verdict::ReasonCode> known = verdict::ParseReasonCode(code);
  if (!known) return {};
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue()) {
    if (entry.code == *known) return std::string(entry.remedy);
  }
  return {};
}

std::string Remedies(std::vector<ReasonCount> counts, size_t indent, const Style& style) {
  SortByCount(counts);
  std::string text;
  std::string first;
  size_t shown = 0;
  for (const ReasonCount& count : counts) {
    const std::string remedy = RemedyOf(count.code);
    if (remedy.empty() || shown++ == kMaxRemedies) continue;
    if (first.empty()) first = count.code;
    text += Paragraph(count.code + ": " + remedy, indent, style);
  }
  if (!first.empty()) text += Paragraph("more: fedra explain " + first, indent, style);
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
  for (const int index : AlternativesOf(verdict))
    text += (text.empty() ? "" : " and ") + Ordinal(index);
  if (!text.empty()) text += " alternative, ";
  return text + Counted(std::max(0, verdict.headroom), "device") + " to spare";
}

Incarnations Current(const WorkloadData& data) {
  Incarnations current;
  for (const WorkloadData::Incarnation& incarnation : data.incarnations) {
    if (!incarnation.row.removed_at || current.empty()) current.push_back(&incarnation);
  }
  return current;
}

std::string Headline(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
                     const ViewSettings& settings) {
  const store::WorkloadRow& row = incarnation.row;
  const Freshness freshness = FreshnessOf(data.daemon, settings.now);
  std::string line = row.job.ToString();
  if (row.removed_at && PhaseOf(row) == placement::Phase::kGone) {
    line += fmt::format(" was deleted {} ago{}", Since(*row.removed_at, settings.now),
                        row.worker.empty() ? "" : " while it was on " + row.worker.value);
  } else if (row.removed_at) {
    line += fmt::format(" was removed from the manager {} ago, last seen {}{}",
                        Since(*row.removed_at, settings.now), row.state,
                        row.worker.empty() ? "" : " on " + row.worker.value);
  } else {
    line += " " + Predicate(row);
  }
  if (const std::string note = ShortNote(data, incarnation); !note.empty()) line += ": " + note;
  if (row.removed_at) return Toned(line, Tone::kPlain, settings.style) + "\n";
  return Toned(line, Tone::kPlain, settings.style) +
         Toned(fmt::format(" (for {}; {})", Since(row.state_since, settings.now), freshness.text),
               freshness.tone, settings.style) +
         "\n";
}

Output RenderEach(std::string_view kind, const WorkloadData& data, const Incarnations& chosen,
                  const ViewSettings& settings,
                  const std::function<std::string(const WorkloadData::Incarnation&)>& text,
                  const std::function<ordered_json(const WorkloadData::Incarnation&)>& json) {
  Output output;
  if (settings.format == Format::kJson || settings.format == Format::kYaml) {
    ordered_json document = Report(kind, data.daemon, data.manager, settings.now);
    document["jobs"] = ordered_json::array();
    for (const auto* incarnation : chosen) document["jobs"].push_back(json(*incarnation));
    output.out = ToText(document, settings.format);
    return output;
  }
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
    output.note = StaleText(data.daemon, settings.now);  // on stdout are only rows
  }
  return output;
}

}  // namespace fedra::cli
