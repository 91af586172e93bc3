#pragma once
//
// Calls to one cluster, with retries: the blocking half of Cluster.
//
// A cluster that is not connected, or that has stopped answering, is not asked: the call fails at
// once.
//
// Thread rules: any thread but the io loop's.
// Lifetime: the monitor and the clock must outlive it. Stop() ends waiting calls with
// kCancelled.

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/guarded.h"
#include "cluster-clients/health_monitor.h"
#include "cluster-clients/kube/verbs.h"

namespace fedra {

class ApiClient final {
 public:
  ApiClient(ClusterName name, const ClusterOptions& options, HealthMonitor& monitor,
            const Clock& clock)
      : name_(std::move(name)), options_(options), monitor_(monitor), clock_(clock) {}

  // The answer's body. `what` begins the message of an error: "create jobs ml/train".
  Result<std::string> Call(const kube::Verb& verb, std::string_view what);
  void Stop();

 private:
  struct UnderWay {
    std::multiset<SteadyTime> begun;  // calls that wait for an answer
    bool stopped = false;
  };
  class Entry;

  Result<void> MayCall();
  http::Reply Attempt(const kube::Verb& verb, std::chrono::milliseconds left);
  void Judge(const http::Reply& reply);
  bool Pause(std::chrono::milliseconds delay);
  void Slow(SteadyTime begun);

  const ClusterName name_;
  const ClusterOptions& options_;
  HealthMonitor& monitor_;
  const Clock& clock_;
  Guarded<UnderWay> under_way_;
};

}  // namespace fedra
