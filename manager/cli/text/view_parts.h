#pragma once
//
// The pieces that status, why and history have in common: how states look, how old the data is,
// rows as JSON. Pure functions.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/text/output.h"
#include "manager/cli/text/view_data.h"
#include "manager/verify/reason_json.h"
#include "manager/verify/reason_order.h"

namespace fedra::cli {

// By its lock; where that cannot be seen, by the age of its heartbeat.
bool IsRunning(const Daemon& daemon, WallTime now);
// "as of 2s ago"; a warning when no daemon keeps it current (DaemonLine() says so in words).
struct Freshness {
  std::string text;
  Tone tone = Tone::kPlain;
};
Freshness FreshnessOf(const Daemon& daemon, WallTime now);

// "the daemon is not running, and what it knew is as of 2026-11-21T16:11:19Z, 12m ago": why what is
// shown may be wrong by now; empty when a daemon keeps it current.
std::string StaleText(const Daemon& daemon, WallTime now);

// "DAEMON  not running: what follows is as of 2026-11-21T16:11:19Z, 12m ago", with line end; the
// first line of every view, so that nobody takes old news for new. A daemon that needs a restart to
// take over what has changed in its configuration says so. Empty when a daemon keeps the data
// current, or when none has written yet.
std::string DaemonLine(const Daemon& daemon, const ViewSettings& settings);

// "MANAGER  Rejected for 5m: 401 Unauthorized", with line end; empty when all is well, or when
// nothing is known.
std::string ManagerLine(const std::optional<store::ClusterRow>& manager,
                        const ViewSettings& settings);

// How long ago, as kubectl prints ages.
std::string Since(WallTime then, WallTime now);

// The reasons against a worker, from VerdictRow::reasons_json. Empty when the text is not the array
// that it should be.
std::vector<verify::KeptReason> ReasonsOf(const store::VerdictRow& verdict);

// What a workload asks for beside its queue, from WorkloadRow::needs_json.
struct Needs {
  std::vector<std::string> templates;  // ResourceClaimTemplates
  std::vector<std::string> claims;     // ResourceClaims
  int pods = 0;
};
// Nothing when it is not known, or not like that.
std::optional<Needs> NeedsOf(const store::WorkloadRow& row);
// "queue ml/gpu · template one-gpu · claim shared · 2 pods"; empty when it is not known.
std::string NeedsText(const store::WorkloadRow& row);

// From VerdictRow::alternatives_json; empty when the text is not the array that it should be.
std::vector<int> AlternativesOf(const store::VerdictRow& verdict);

// Whether the verdicts alone say why a job is blocked: there is one of each of the `workers`, and
// none is Yes. Otherwise only the workload's note says it: a worker that could run the job may have
// refused the write, and of a large fleet not every verdict is kept.
bool AllRefuse(const std::vector<store::VerdictRow>& verdicts, size_t workers);

// Whether waiting helps this worker's No; kUnclear for any other outcome.
verify::Prospect ProspectOf(const store::VerdictRow& verdict);

// Which reasons stand first against how many workers, the most frequent first; the outcome's name
// where there is no reason. Workers that say Yes are left out.
struct ReasonCount {
  std::string code;
  int workers = 0;
};
std::vector<ReasonCount> CountReasons(const std::vector<store::VerdictRow>& verdicts);
// One worker more with this reason.
void CountReason(const std::string& code, std::vector<ReasonCount>& counts);

// What can be done about a reason, in one paragraph; empty when nothing is known about it.
std::string RemedyOf(const std::string& code);
// For the most frequent reasons what can be done, a paragraph each, and where to find more. Empty
// when nothing is known about any of them.
std::string Remedies(std::vector<ReasonCount> counts, size_t indent, const Style& style);

// "first alternative, 3 devices to spare": why a worker that can run the job comes before or after
// another; empty when devices were not judged.
std::string RankingText(const store::VerdictRow& verdict);
// "first", "second", ...: of an index from 0.
std::string Ordinal(int index);

// The attempts of one workload, with ages, or wide with times.
Table AttemptTable(const std::vector<store::AttemptRow>& attempts, const ViewSettings& settings);

using Incarnations = std::vector<const WorkloadData::Incarnation*>;

// The incarnations that `status` and `why` are about: those that live, or the last one that did.
Incarnations Current(const WorkloadData& data);

// "ml/train is running on gpu-east (for 2h; as of 2s ago)": the first line about one workload, with
// line end.
std::string Headline(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
                     const ViewSettings& settings);

// Each of the workloads as text, by name, or as one item of a document of that kind, as the
// settings say.
Output RenderEach(
    std::string_view kind, const WorkloadData& data, const Incarnations& chosen,
    const ViewSettings& settings,
    const std::function<std::string(const WorkloadData::Incarnation&)>& text,
    const std::function<nlohmann::ordered_json(const WorkloadData::Incarnation&)>& json);

// A document with "asOf", "daemon" and "manager", as all reports begin.
nlohmann::ordered_json Report(std::string_view kind, const Daemon& daemon,
                              const std::optional<store::ClusterRow>& manager, WallTime now);

nlohmann::ordered_json ToJson(const store::WorkloadRow& row);
nlohmann::ordered_json ToJson(const store::VerdictRow& row);
nlohmann::ordered_json ToJson(const store::AttemptRow& row);
nlohmann::ordered_json ToJson(const store::EventRow& row);

// A report (JSON) without what is different at every look although nothing happened.
std::string WithoutAges(const std::string& report);

// Sets `key` to an RFC 3339 time; leaves it out when there is none.
void PutTime(nlohmann::ordered_json& object, std::string_view key,
             const std::optional<WallTime>& time);

}  // namespace fedra::cli
