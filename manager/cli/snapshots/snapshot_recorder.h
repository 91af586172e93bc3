#pragma once
//
// Records what one worker would be judged by, instead of judging it.
//
// Thread rules: as FleetWorker. Lifetime: its feeds must end before the recorder.

#include <functional>
#include <memory>
#include <vector>

#include "manager/cli/judged/fleet_worker.h"
#include "manager/cli/snapshots/snapshot_file.h"

namespace fedra::cli {

class RecordingSink;

class WorkerRecorder final {
 public:
  WorkerRecorder(FleetWorkerSettings settings, std::function<void()> on_health);
  ~WorkerRecorder();

  // As FleetWorker's.
  std::vector<verify::Input> Inputs(const kube::ServerInfo* server);
  bool IsListing() const;

  // Everything so far.
  RecordedWorker Recorded(ConnectionState connection, const kube::ServerInfo* server) const;

 private:
  const FleetWorkerSettings settings_;
  const std::function<void()> on_health_;
  std::vector<std::unique_ptr<RecordingSink>> NotServed(const kube::ServerInfo* server) const;

  FleetWorker reads_;  // knows what must be read; never fed itself
  std::vector<std::unique_ptr<RecordingSink>> sinks_;
};

}  // namespace fedra::cli
