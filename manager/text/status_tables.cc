#include "manager/text/status_tables.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "base/time.h"
#include "manager/report/freshness.h"
#include "manager/report/row_facts.h"
#include "manager/report/row_states.h"
#include "manager/report/status_document.h"
#include "manager/text/capacity_text.h"
#include "manager/text/display_text.h"
#include "manager/text/line_text.h"
#include "manager/text/row_tones.h"
#include "manager/text/status_format.h"
#include "manager/verify/capabilities.h"
#include "verdict/further_text.h"

namespace fedra::text {
namespace {

using store::ClusterRow;
using store::VerdictRow;
using store::WorkloadRow;

// "; its job moves in 10m50s": what the loss of a worker means for its jobs.
std::string MovingText(const ClusterRow& row, size_t jobs, const ViewSettings& settings) {
  if (jobs == 0) return {};
  const std::string whose = jobs == 1 ? "its job" : fmt::format("its {} jobs", jobs);
  const auto phase = report::PhaseOf(row);
  if (!row.lost_since &&
      (phase == verify::ClusterPhase::kRejected || phase == verify::ClusterPhase::kMisconfigured))
    return fmt::format("{} {} there", whose, jobs == 1 ? "stays" : "stay");
  if (!row.lost_since || !settings.query.worker_lost_timeout) return {};
  const auto left = *row.lost_since + *settings.query.worker_lost_timeout - settings.query.now;
  if (left <= std::chrono::milliseconds(0))
    return fmt::format("{} {} being moved", whose, jobs == 1 ? "is" : "are");
  return fmt::format("{} {} in {}", whose, jobs == 1 ? "moves" : "move", FormatAge(left));
}

// Green is only a cluster that everything is known of.
Tone WorkerTone(const ClusterRow& row) {
  const Tone tone = ToneOf(row);
  const bool is_open = tone == Tone::kGood && (!row.why.empty() || !row.note.empty());
  return is_open ? Tone::kWarning : tone;
}

// "copies of 2 jobs that were requeued or deleted may still run there".
std::string LeftText(size_t left) {
  if (left == 0) return {};
  return left == 1
             ? "the copy of a job that was requeued or deleted may still run there"
             : fmt::format("copies of {} jobs that were requeued or deleted may still run there",
                           left);
}

std::string WorkerNote(const ClusterRow& row, size_t jobs, size_t left,
                       const ViewSettings& settings) {
  std::string note;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) note += (note.empty() ? "" : "; ") + part;
  };
  add(row.why);
  add(row.note);
  add(MovingText(row, jobs, settings));
  if (report::PhaseOf(row) == verify::ClusterPhase::kRejected)
    add("renew the credentials in its kubeconfig");
  add(LeftText(left));
  return note;
}

// "Connected", "Connected,Cordoned" as kubectl says it of nodes.
Cell WorkerState(const ClusterRow& row) {
  const Tone tone = WorkerTone(row);
  if (row.cordon.empty()) return Cell(row.phase, tone);
  return Cell(row.phase + "," + row.cordon, tone == Tone::kGood ? Tone::kWarning : tone);
}

// "v1beta2", the version of Kueue's API that is preferred there, and "3/19", of the kinds of jobs
// those that are served there. "-": not known, or none.
std::pair<std::string, std::string> KueueAndKinds(const ClusterRow& row) {
  const auto can = verify::ParseCapabilities(row.capabilities_json);
  if (!can) return {"-", "-"};
  return {can->kueue_versions.empty() ? "-" : Printable(can->kueue_versions.front()),
          fmt::format("{}/{}", can->job_kinds.size(),
                      can->job_kinds.size() + can->job_kinds_missing.size())};
}

// ".../gpu-east.kubeconfig:4:12:": the folders of a long path push the cause out of the note.
std::string WithShortPaths(const std::string& note) {
  std::string text;
  std::istringstream words(note);
  for (std::string word; std::getline(words, word, ' ');) {
    const size_t last = word.rfind('/');
    const bool is_path = word.starts_with('/') && last > 0;
    text += (text.empty() ? "" : " ") + (is_path ? "..." + word.substr(last) : word);
  }
  return text;
}

std::string NoteText(const std::string& note, const ViewSettings& settings) {
  std::string printable = Printable(note, settings.style.utf8);
  // Where the line ends the table cuts it; in files and pipes it stays whole, for grep.
  return settings.style.width == 0 ? printable : WithShortPaths(printable);
}

// The codes of what else is against the workers, beside what is `counted`.
std::set<std::string> FurtherReasons(const std::vector<VerdictRow>& verdicts,
                                     const std::vector<report::ReasonCount>& counted) {
  std::set<std::string> codes;
  for (const VerdictRow& verdict : verdicts) {
    if (report::OutcomeOf(verdict) == verdict::Outcome::kYes) continue;
    for (const verify::KeptReason& reason : report::ReasonsOf(verdict)) codes.insert(reason.code);
  }
  for (const report::ReasonCount& count : counted) codes.erase(count.code);
  return codes;
}

// "no worker eligible: TemplateMissing on 2, ClusterUnreachable on 1 (and QueueMissing)",
// "waits for gpu-east: DevicesAllocated on 1, TemplateMissing on 2".
std::string WhyBlocked(const std::vector<VerdictRow>& verdicts) {
  std::string text;
  const std::string begin = BlockedText(report::BusyWorkers(verdicts)) + ": ";
  const std::vector<report::ReasonCount> counts = report::CountReasons(verdicts);
  for (const report::ReasonCount& count : counts) {
    text += fmt::format("{}{} on {}", text.empty() ? begin : ", ", count.code, count.workers);
  }
  const std::set<std::string> further = FurtherReasons(verdicts, counts);
  if (!text.empty() && !further.empty())
    text += verdict::FurtherText(further.size(), *further.begin());
  return text;
}

// A job on a worker that is out of contact may have ended: green is only what is known.
Tone JobTone(const WorkloadRow& row, const report::StatusData& data) {
  if (row.removed_at) return Tone::kFaint;
  const auto worker =
      std::find_if(data.clusters.begin(), data.clusters.end(),
                   [&](const ClusterRow& cluster) { return cluster.name == row.worker; });
  const bool unknown = report::PhaseOf(row) == placement::Phase::kRunning &&
                       worker != data.clusters.end() && ToneOf(*worker) != Tone::kGood;
  return unknown ? Tone::kWarning : ToneOf(row);
}

using VerdictsByUid = std::map<std::string, std::vector<VerdictRow>>;

VerdictsByUid ByUid(const std::vector<VerdictRow>& verdicts) {
  VerdictsByUid by_uid;
  for (const VerdictRow& verdict : verdicts) by_uid[verdict.uid].push_back(verdict);
  return by_uid;
}

// By workload and worker: when it was dispatched there last.
using BeginByPlace = std::map<std::pair<std::string, ClusterName>, WallTime>;

BeginByPlace Begins(const std::vector<store::AttemptRow>& attempts) {
  BeginByPlace begins;
  for (const store::AttemptRow& attempt : attempts)
    begins[{attempt.uid, attempt.cluster}] = attempt.started_at;
  return begins;
}

// How long it has run, or ran, on its worker, from its dispatch.
std::string DurationText(const WorkloadRow& row, const BeginByPlace& begins, WallTime now) {
  const auto begin = begins.find({row.uid, row.worker});
  const bool runs = report::PhaseOf(row) == placement::Phase::kRunning;
  if (begin == begins.end() || (!runs && !row.finished_at)) return "-";
  return Since(begin->second, row.finished_at.value_or(now));
}

// The whole note names every worker; in the narrow table the counts say as much.
std::string JobNote(const WorkloadRow& row, const VerdictsByUid& verdicts, size_t workers,
                    const ViewSettings& settings) {
  const auto known = verdicts.find(row.uid);
  if (row.removed_at) {
    const std::string deleted =
        fmt::format("deleted {} ago", Since(*row.removed_at, settings.query.now));
    return row.note.empty() ? deleted : deleted + ": " + row.note;
  }
  if (row.finished_at) {
    const std::string ended =
        fmt::format("ended {} ago", Since(*row.finished_at, settings.query.now));
    return row.note.empty() ? ended : ended + ": " + row.note;
  }
  if (report::PhaseOf(row) != placement::Phase::kBlocked || settings.format == Format::kWide ||
      known == verdicts.end() || !report::AllRefuse(known->second, workers))
    return row.note;
  const std::string counted = WhyBlocked(known->second);
  return counted.empty() ? row.note : counted;
}

}  // namespace

Table WorkerTable(const report::StatusData& data, const ViewSettings& settings) {
  const bool wide = settings.format == Format::kWide;
  std::vector<std::string> titles = {"NAME",  "STATE",   "SINCE", "QUEUES",
                                     "QUOTA", "DEVICES", "JOBS"};
  if (wide) titles.insert(titles.end(), {"KUBERNETES", "DRA", "KUEUE", "KINDS", "LAST CONTACT"});
  titles.emplace_back("NOTE");
  Table table(std::move(titles), Overflow::kCut);
  const bool knows_jobs = report::KnowsJobs(data);
  std::map<ClusterName, size_t> jobs = data.jobs_on;
  std::map<ClusterName, size_t> left = data.left_on;
  for (const ClusterRow& row : data.clusters) {
    const verify::Capacity capacity = report::CapacityOf(row);
    std::vector<Cell> cells = {row.name.value,
                               WorkerState(row),
                               Since(row.phase_since, settings.query.now),
                               QueuesText(capacity),
                               QuotaText(capacity, wide),
                               DevicesText(capacity),
                               knows_jobs ? std::to_string(jobs[row.name]) : "-"};
    if (wide) {
      const auto [kueue, kinds] = KueueAndKinds(row);
      cells.insert(cells.end(),
                   {OrDash(row.kubernetes_version), OrDash(row.dra_version), kueue, kinds,
                    row.last_contact ? Since(*row.last_contact, settings.query.now) : "-"});
    }
    cells.emplace_back(
        NoteText(WorkerNote(row, jobs[row.name], left[row.name], settings), settings));
    table.Add(std::move(cells));
  }
  return table;
}

Table JobTable(const report::StatusData& data, const ViewSettings& settings) {
  const std::vector<WorkloadRow>& rows = data.jobs.shown;
  const bool wide = settings.format == Format::kWide;
  std::vector<std::string> titles = {"JOB", "STATE", "WORKER", "AGE"};
  const bool in_line = wide || settings.query.jobs.order == store::JobOrder::kLine;
  if (in_line) titles.insert(titles.end(), {"PRIORITY", "LINE"});
  const bool queues = wide || settings.query.jobs.order == store::JobOrder::kQueue;
  if (queues) titles.emplace_back("QUEUE");
  // Where all of them are Jobs the column says nothing.
  const bool kinds = wide || std::ranges::any_of(rows, [](const WorkloadRow& row) {
                       return row.job_kind != "Job";
                     });
  if (wide) titles.insert(titles.end(), {"IN STATE", "DURATION"});
  if (kinds) titles.emplace_back("KIND");
  if (wide) titles.insert(titles.end(), {"WORKLOAD", "NEEDS"});
  titles.emplace_back("NOTE");
  Table table(std::move(titles), Overflow::kCut);
  const VerdictsByUid verdicts = ByUid(data.verdicts);
  const BeginByPlace begins = wide ? Begins(data.attempts) : BeginByPlace();
  report::PlacesByUid places = in_line ? report::InLine(data) : report::PlacesByUid();
  for (const WorkloadRow& row : rows) {
    std::vector<Cell> cells = {row.job.ToString(), Cell(row.state, JobTone(row, data)),
                               OrDash(row.worker.value), Since(row.created_at, settings.query.now)};
    if (in_line)
      cells.insert(cells.end(), {std::to_string(row.priority), PlacesText(places[row.uid])});
    if (queues) cells.emplace_back(OrDash(row.queue));
    if (wide) {
      cells.insert(cells.end(), {Since(row.state_since, settings.query.now),
                                 DurationText(row, begins, settings.query.now)});
    }
    if (kinds) cells.emplace_back(row.job_kind);
    if (wide) cells.insert(cells.end(), {row.key.name, OrDash(report::NeedsText(row))});
    cells.emplace_back(NoteText(JobNote(row, verdicts, data.clusters.size(), settings), settings));
    table.Add(std::move(cells));
  }
  return table;
}

}  // namespace fedra::text
