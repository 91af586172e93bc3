#pragma once
//
// Records what one worker would be judged by, instead of judging it.
//
// Thread rules: as JudgedWorker. Lifetime: whoever feeds must end before the recorder.

#include <functional>
#include <memory>
#include <vector>

#include "manager/cli/judged_worker.h"
#include "manager/cli/snapshot_file.h"

namespace fedra::cli {

class RecordingSink;

class WorkerRecorder final {
 public:
  WorkerRecorder(JudgedWorkerSettings settings, std::function<void()> on_health);
  ~WorkerRecorder();

  // As JudgedWorker's.
  std::vector<Feed> Feeds(const kube::ServerInfo* server);
  bool IsListing() const;

  // Everything so far.
  RecordedWorker Recorded(ConnectionState connection, const kube::ServerInfo* server) const;

 private:
  const JudgedWorkerSettings settings_;
  const std::function<void()> on_health_;
  JudgedWorker reads_;  // knows what must be read; never fed itself
  std::vector<std::unique_ptr<RecordingSink>> sinks_;
};

}  // namespace fedra::cli
