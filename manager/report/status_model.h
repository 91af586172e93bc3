#pragma once
//
// What status, why and history are about, as rows of the store.
//
// Loading is apart from documents and texts, so that each of those is a pure function. Plain
// values.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "manager/report/job_filter.h"
#include "manager/report/withheld.h"
#include "store/reader.h"
#include "store/rows.h"

namespace fedra::report {

struct JobName;

struct Daemon {
  std::optional<store::HeartbeatRow> heartbeat;    // its last one; null: none has written here yet
  std::optional<bool> holds_store = std::nullopt;  // null: this user may not look
  // What the reader's rights do not cover, whether there is any or not: "workers", "namespaces".
  std::vector<std::string> omitted = {};
};

// The fleet, and of its jobs what was asked for (load_status.h).
struct StatusData {
  Daemon daemon;
  std::optional<store::ClusterRow> manager;  // null: no daemon has written it yet
  std::vector<store::ClusterRow> clusters;   // the workers, in the order of the configuration
  // False: the reader may see no jobs, so that numbers of them say nothing.
  bool shows_jobs = true;
  // Jobs that are on, or dispatched to, each worker; not those that have ended.
  std::map<ClusterName, size_t> jobs_on = {};
  // Copies of jobs that were taken from each worker while it was out of reach: they may still run
  // there. Not those of jobs that ended on that worker.
  std::map<ClusterName, size_t> left_on = {};
  ChosenJobs jobs = {};
  // Of the jobs that are shown:
  std::vector<store::VerdictRow> verdicts = {};          // of the blocked ones: to say in short why
  std::vector<store::PlaceRow> places = {};              // in line, of each the best first
  std::map<std::string, store::WorkloadRow> first = {};  // in these lines, by PlaceRow::first
  std::vector<store::AttemptRow> attempts = {};          // of each job the oldest first
  // In place of a list: how many there are of each, the largest group first.
  std::vector<store::JobGroup> groups = {};
};

// The job that holds another one back in line, or else the first in that line, as far as it is
// known.
struct FirstJob {
  store::WorkloadRow row;
  std::string dispatch_order;              // that those behind it are held by; may be empty
  ClusterName kept;                        // the worker that is kept for it; empty: none
  bool is_bound_reached = false;           // no other job passes it any more
  std::map<ClusterName, int> places = {};  // its own, in line
};

// Everything about one name: the incarnation that people mean first, earlier ones behind it.
struct WorkloadData {
  struct Incarnation {
    store::WorkloadRow row;
    std::vector<store::VerdictRow> verdicts;
    std::vector<store::PlaceRow> places;                 // in line, the first place first
    std::vector<store::AttemptRow> attempts;             // oldest first
    std::vector<store::EventRow> events;                 // oldest first
    std::vector<store::PlacementFailure> failures = {};  // of workers, oldest first
    std::map<std::string, FirstJob> first = {};          // by PlaceRow::first
    Withheld withheld_of_verdicts = {};
    Withheld withheld_of_history = {};  // events and attempts
  };
  Daemon daemon;
  std::optional<store::ClusterRow> manager;  // as in StatusData
  size_t configured_workers = 0;             // without removed ones
  std::vector<Incarnation> incarnations;     // never empty
};

using Incarnations = std::vector<const WorkloadData::Incarnation*>;

// The incarnations that `status` and `why` are about: those that live, or the last one that did.
Incarnations Current(const WorkloadData& data);
// All of them as it happened: the oldest first.
Incarnations Chronological(const WorkloadData& data);

// The row of the manager, which is taken out of the workers'.
std::optional<store::ClusterRow> TakeManager(std::vector<store::ClusterRow>& clusters);
Result<Daemon> LoadDaemon(store::Reader& reader);
// The living Workload that PlaceRow::first names. Null: none is named, or it was dispatched or
// deleted meanwhile.
Result<std::optional<store::WorkloadRow>> LoadFirstOf(store::Reader& reader,
                                                      const store::PlaceRow& place);

// `names`: what was asked for may mean, the likeliest first, as from ParseWorkloadName.
// Null: nothing of that name is known. kInvalidArgument, with the candidates, when a name without a
// namespace is known in several, or one without a kind as jobs of several kinds.
Result<std::optional<WorkloadData>> FindWorkload(store::Reader& reader,
                                                 const std::vector<JobName>& names);
// The same, and kNotFound with what may help.
Result<WorkloadData> LoadWorkload(store::Reader& reader, const std::vector<JobName>& names,
                                  WallTime now);

}  // namespace fedra::report
