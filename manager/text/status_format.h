#pragma once
//
// The pieces that status, why and history have in common: how old the data is, the line about
// one workload, what can be done about reasons. Pure functions.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/report/row_facts.h"
#include "manager/report/status_model.h"
#include "manager/text/output.h"
#include "manager/text/view_settings.h"
#include "manager/verify/reason_json.h"
#include "manager/verify/reason_order.h"

namespace fedra::text {

// "as of 2s ago"; a warning when no daemon keeps it current (DaemonLine() says so in words).
struct Freshness {
  std::string text;
  Tone tone = Tone::kPlain;
};
Freshness FreshnessOf(const report::Daemon& daemon, WallTime now);
// The same of jobs: "as of 3h ago, by a standby", which knows of them what it knew when it led
// last.
Freshness JobFreshness(const report::Daemon& daemon, WallTime now);

// "DAEMON  not running: what follows is as of 2026-11-21T16:11:19Z, 12m ago", with line end; the
// first line of every view, so that no reader takes old news for new. A daemon that needs a restart
// to take over what has changed in its configuration says so. Empty when a daemon keeps the data
// current, or when none has written yet.
std::string DaemonLine(const report::Daemon& daemon, const ViewSettings& settings);

// "MANAGER  Rejected for 5m: 401 Unauthorized; nothing is dispatched meanwhile, ...", with line
// end; empty when all is well, or when nothing is known.
std::string ManagerLine(const std::optional<store::ClusterRow>& manager,
                        const ViewSettings& settings);

// "waits for gpu-east, gpu-west": of report::BusyWorkers; empty: there are none.
std::string WaitsForText(const std::vector<std::string>& busy);
// "waits for gpu-east", or "no worker eligible": of a blocked job, before the reasons.
std::string BlockedText(const std::vector<std::string>& busy);

// "rights what workers say is withheld: that is a right in the ClusterRole fedra-fleet-viewer", and
// a line more for each other right, with line ends. Empty: nothing is withheld.
std::string WithheldText(const report::Withheld& withheld, const Style& style);

// How long ago, as kubectl prints ages.
std::string Since(WallTime then, WallTime now);

// For the most frequent reasons what can be done, a paragraph each, and where to find more. Empty
// when nothing is known about any of them.
std::string Remedies(std::vector<report::ReasonCount> counts, size_t indent, const Style& style);

// "first alternative, 3 devices to spare": why a worker that can run the job comes before or after
// another; empty when devices were not judged.
std::string RankingText(const store::VerdictRow& verdict);
// "first", "second", ...: of an index from 0.
std::string Ordinal(int index);

// The attempts of one workload, with ages, or wide with times.
Table AttemptTable(const std::vector<store::AttemptRow>& attempts, const ViewSettings& settings);

// "ml/train is running on gpu-east (for 2h; as of 2s ago)": the first line about one workload, with
// line end.
std::string Headline(const report::WorkloadData& data,
                     const report::WorkloadData::Incarnation& incarnation,
                     const ViewSettings& settings);

// Each of the workloads as text, or by name, as the settings say.
Output RenderEach(const report::WorkloadData& data, const report::Incarnations& chosen,
                  const ViewSettings& settings,
                  const std::function<std::string(const report::WorkloadData::Incarnation&)>& text);

}  // namespace fedra::text
