#pragma once
//
// A worker's API server, asked for a job's pods and what they print, with the caller's credentials.
//
// Errors name the worker, the context and, of a 403, the right that is missing.
//
// Thread rules: one user thread.

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster-clients/own_connection.h"
#include "config/kubeconfig.h"
#include "manager/cli/logs/arrivals.h"
#include "manager/cli/logs/job_place.h"
#include "manager/cli/logs/pod_choice.h"

namespace fedra::cli {

// Of a log that is read once.
inline constexpr size_t kMaxLogBytes = size_t{64} << 20;

class CallerOnWorker final {
 public:
  // `timeout`: for each answer.
  CallerOnWorker(JobPlace place, const config::KubeAccess& access,
                 std::chrono::milliseconds timeout);

  // kTooLarge: there are more than 10,000, for a pod of a group those of others, too. Empty: there
  // are none.
  Result<std::vector<PodContainers>> Pods(const PodQuestion& question);
  // Of the last `lines` the first `bytes`, at most kMaxLogBytes.
  Result<std::string> Log(const LogSource& source, int lines, size_t bytes);
  // The last lines, and then what it prints: to `arrivals`, as this stream, until it ends, they do
  // not fit, or this is destroyed.
  void Follow(const LogSource& source, int lines, size_t stream,
              const std::shared_ptr<Arrivals>& arrivals);
  // Why a followed log has ended with this.
  Error WhyEnded(const http::Reply& reply) const;

 private:
  Result<std::vector<PodContainers>> Named(const ObjectKey& key);
  Result<std::vector<PodContainers>> Labelled(const PodQuestion& question);
  Error Explained(Error error, const char* right) const;

  const JobPlace place_;
  const std::string context_;
  const std::chrono::milliseconds timeout_;
  OwnConnection connection_;
};

}  // namespace fedra::cli
