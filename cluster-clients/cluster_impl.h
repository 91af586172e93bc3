#pragma once
//
// The parts of a Cluster and how they are connected: health monitor, API client, reflectors.
// Internal.
//
// Thread rules: any thread, but Stop() once, and not from a listener.

#include <memory>
#include <mutex>
#include <vector>

#include "base/guarded.h"
#include "cluster-clients/api_client.h"
#include "cluster-clients/cluster.h"
#include "cluster-clients/health_monitor.h"
#include "cluster-clients/watch/reflector.h"

namespace fedra {

class Cluster::Impl final : public watch::StreamSource {
 public:
  Impl(ClusterName name, kube::AccessSettings access, ClusterOptions options, http::HttpLoop& loop,
       WorkerPool& workers, const Clock& clock, OnState on_state, OnServer on_server);

  void UpdateAccess(const kube::AccessSettings& access);
  std::weak_ptr<const void> Relist(const Choice& which);
  void Watch(WatchSpec spec, watch::CacheSink& sink);
  void Stop();

  std::function<void()> Open(http::Request request, http::StreamHandler handler) override;

  const ClusterName name;
  const ClusterOptions options;
  const std::shared_ptr<HealthMonitor> monitor;
  ApiClient client;

 private:
  struct Watches {
    std::vector<std::shared_ptr<watch::Reflector>> reflectors;
    bool connected = false;
    bool stopped = false;
  };

  void OnState(const ConnectionState& state, const Cluster::OnState& tell);
  std::vector<std::shared_ptr<watch::Reflector>> Reflectors() const;
  void SuspendWatches(const Error& why);
  void ResumeWatches();
  // False: the sink is fed from this target already. Else whatever fed it has ended for good, so
  // that another watch may.
  bool Replace(const watch::Target& target, const watch::CacheSink& sink);

  http::HttpLoop& loop_;
  const watch::ClusterShare share_;
  const Clock& clock_;
  Guarded<Watches> watches_;

  // Held while reflectors are suspended or resumed, so that what came last has the last word.
  std::mutex switching_;
  kube::AccessSettings access_;  // under switching_
};

}  // namespace fedra
