#pragma once
//
// The workers that `check` and `devices` look at: those of the configuration, asked now, or those
// of a snapshot file. Needs kubeconfigs or the file, nothing else; writes nothing.
//
// Thread rules: one thread.

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "manager/cli/fleet/asked_manager.h"
#include "manager/cli/fleet/live_fleet.h"
#include "manager/cli/judged/fleet_worker.h"
#include "manager/cli/terminal/terminal.h"
#include "manager/report/as_of.h"

namespace fedra::cli {

struct FleetOptions {
  std::string config;                // the daemon's file
  std::string snapshot;              // instead of asking the workers; "-": standard input
  std::vector<std::string> workers;  // only these; empty: all
  std::string timeout = "15s";       // for connecting and listing
  bool devices_only = false;         // devices are looked at whatever is verified, and no pods
  // Of the jobs that will be judged.
  std::vector<const tracking::JobAdapter*> kinds = {};
  bool claims_of_others = false;  // `workers` are asked for: of the others, the claims are read
};

// The configured and discovered workers that are to be read, and what the daemon would verify of
// each.
struct ConfiguredWorkers {
  tracking::Identity us;  // without the manager's UID
  tracking::Mode mode = tracking::Mode::kAdmissionCheck;
  std::string controller_name;  // of our AdmissionChecks
  std::string store;            // the daemon's; it need not exist
  std::chrono::milliseconds timeout{0};
  std::vector<ClusterSettings> access;
  std::vector<FleetWorkerSettings> judged;  // parallel
  std::optional<ClusterSettings> manager;   // absent: its kubeconfig cannot be used
  std::string not_discovered;               // as of DiscoverWorkers(), for people
};
// kInvalidArgument: the file, the time-out, or a name that is not configured.
Result<ConfiguredWorkers> LoadWorkers(const FleetOptions& options);

// Asks the manager for what matters to verdicts on jobs of these kinds; null: its kubeconfig cannot
// be used. `signal` must outlive it.
std::unique_ptr<AskedManager> AskManager(const ConfiguredWorkers& workers,
                                         std::span<const tracking::JobAdapter* const> kinds,
                                         FleetSignal& signal);
// To be called when the workers have answered: waits for the manager a little longer.
void AwaitManager(AskedManager& manager, FleetSignal& signal);

struct Fleet {
  bool redacted = false;  // names are pseudonyms (snapshot_names.h)
  report::AsOf as_of;
  std::string store;  // where the daemon's memory is; empty: of a snapshot
  FleetSignal signal;
  std::unique_ptr<AskedManager> manager;  // null: not asked
  // Of a snapshot; null: not known there.
  std::unique_ptr<verify::Cache<verify::ClaimSummary>> manager_templates;
  FleetWorkers workers;
  FleetWorkers others;              // FleetOptions::claims_of_others
  std::unique_ptr<LiveFleet> live;  // destroyed first: it feeds the workers and raises the signal
};

// Whatever cannot be known of a worker is in its verdicts; an error is one of the options.
// What could not be read of a snapshot is printed on the terminal.
Result<std::unique_ptr<Fleet>> OpenFleet(const FleetOptions& options, const Terminal& terminal);

}  // namespace fedra::cli
