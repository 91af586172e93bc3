#pragma once
//
// One Kubernetes cluster as the rest of fedra sees it: calls, watches, served APIs, and its health.
//
// Calls block the calling worker thread until an answer or the deadline; the event loop, libcurl,
// TLS, retries and authentication are hidden behind them. One broken cluster costs the others
// nothing.
//
// Thread rules: every function may be called from any thread but the io loop's.
// Lifetime: the HttpLoop and the WorkerPool given at construction must outlive the Cluster. Stop()
// (also run by the destructor) ends all watches and fails outstanding calls with kCancelled.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/types.h"
#include "cluster-clients/connection_state.h"
#include "cluster-clients/kube/access.h"
#include "cluster-clients/kube/discovery.h"
#include "cluster-clients/kube/resource.h"
#include "cluster-clients/watch/object_cache.h"
#include "cluster-clients/watch/read_volume.h"
#include "cluster-clients/watch/watch_spec.h"

namespace fedra {

class WorkerPool;
namespace http {
class HttpLoop;
class WriteGate;
}  // namespace http

// How to talk to a cluster; every field has a default that fits a real API server.
struct ClusterOptions {
  std::chrono::milliseconds call_timeout{10'000};    // one call, retries included
  std::chrono::milliseconds connect_timeout{5'000};  // TCP and TLS
  std::chrono::milliseconds probe_interval{
      10'000};  // how often health is asked for when nothing else talks
  std::chrono::milliseconds probe_timeout{5'000};  // no answer in this time: unreachable
  // How often it is asked what the server serves although nothing was reason to ask: a resource
  // that is not watched may be served from now on.
  std::chrono::milliseconds discovery_interval{30'000};
  std::chrono::seconds watch_timeout{
      290};                // the server ends a watch after this; +5 s is our own limit
  size_t page_size = 500;  // objects per list page
  size_t max_response_bytes = 256u << 20;  // one answer; a list page above it is kTooLarge
  bool http2 = true;                       // false: HTTP/1.1 only
  // Called for every request but watches, on the calling thread: "GET", and the status code or the
  // ErrorCode's name. Must be quick.
  std::function<void(const ClusterName& cluster, std::string_view method, std::string_view code,
                     std::chrono::nanoseconds duration)>
      on_request;
  // Called for all that is read of its answers, on the reading thread. Must be quick.
  std::function<void(const ClusterName& cluster, const watch::ReadVolume& read)> on_read = {};
  // Groups whose resources are listed in ServerInfo; those of registered watches are added.
  std::vector<std::string> discover_groups = {};
  // Asked for every call that changes something, just before it is sent; refused calls fail with
  // kCancelled. Null: all are sent.
  std::shared_ptr<const http::WriteGate> gate = {};
};

// A configured cluster.
struct ClusterSettings {
  ClusterName name;
  kube::AccessSettings access;
  std::optional<Error> misconfigured;  // the kubeconfig cannot be used, nor `access`
  ClusterOptions options;
};

struct WriteOptions {
  std::string field_manager = "fedra";
  std::string subresource;  // "status", or "NAME/token" of a Create; or empty
  bool force = false;       // server-side apply: take over conflicting fields
  bool dry_run = false;
};

// What a deletion takes along is what the object owns (propagationPolicy Background).
struct DeleteOptions {
  std::string uid;          // precondition when not empty
  ResourceVersion version;  // precondition when not empty
};

class Cluster final {
 public:
  using OnState = std::function<void(const ConnectionState& state)>;
  using OnServer = std::function<void()>;
  using Choice = std::function<bool(const watch::CacheSink& sink)>;

  // `on_state` runs on a worker thread after every change of phase. `on_server` runs there, never
  // at the same time, after every change of server(): before the first connection is reported, and
  // whenever a later one, or a lost watch, was reason to ask again. No I/O happens before Start().
  Cluster(ClusterName name, kube::AccessSettings access, ClusterOptions options,
          http::HttpLoop& loop, WorkerPool& workers, const Clock& clock, OnState on_state,
          OnServer on_server = {});
  ~Cluster();

  const ClusterName& name() const;

  // Begins to connect; watches registered before or after are started when the cluster is
  // connected.
  void Start();
  void Stop();

  // New credentials, CA or address: used for everything from now on. With other credentials only,
  // watches are reopened where they were and caches stay in step. When the settings lead to another
  // server (address, CA, TLS server name, proxy), caches keep what they hold, but are not Synced
  // until they have been listed there.
  void UpdateAccess(const kube::AccessSettings& access);

  // What is watched for and `which` chooses is listed again, from what the server holds now: from
  // when the result has expired, which is soon, none of that says that it is Synced before it has
  // been. Content stays meanwhile. The rest is watched on, and hears nothing of it.
  std::weak_ptr<const void> Relist(const Choice& which);

  // A kubeconfig that cannot be used at all. The state becomes kMisconfigured until UpdateAccess.
  void SetMisconfigured(Error why);

  ConnectionState state() const;
  // Version and served groups as of the last time they were asked for: at every connect, after a
  // watch was lost, and now and then. Null before the first.
  std::shared_ptr<const kube::ServerInfo> server() const;

  // Each returns the object as the server answered it. Idempotent calls are retried within the
  // deadline.
  Result<std::string> Get(const kube::Resource& resource, const ObjectKey& key);
  Result<std::string> Create(const kube::Resource& resource, const std::string& ns,
                             std::string body, const WriteOptions& options = {});
  // `body` is a JSON merge patch. Put metadata.resourceVersion into it to make it conditional
  // (kConflict).
  Result<std::string> MergePatch(const kube::Resource& resource, const ObjectKey& key,
                                 std::string body, const WriteOptions& options = {});
  // Server-side apply of a complete document (apiVersion, kind, metadata.name and our fields).
  Result<std::string> Apply(const kube::Resource& resource, const ObjectKey& key, std::string body,
                            const WriteOptions& options = {});
  Result<void> Delete(const kube::Resource& resource, const ObjectKey& key,
                      const DeleteOptions& options = {});
  // The last `lines` that a container of a pod has printed, cut to `bytes`. Text of the job:
  // anything.
  Result<std::string> PodLog(const ObjectKey& pod, const std::string& container, int lines,
                             size_t bytes);
  // SelfSubjectAccessReview: may these credentials do `verb` on `resource` in `ns` (empty:
  // everywhere), with the one of this name (empty: all)?
  Result<bool> MayI(std::string_view verb, const kube::Resource& resource,
                    const std::string& ns = {}, const std::string& subresource = {},
                    const std::string& object = {});

  // Sends a question that the server answers and does not keep, such as a TokenReview: the answer.
  // Whether this process leads or not. Messages have nothing of `body`, but what the server says.
  Result<std::string> Review(const kube::Resource& resource, std::string body);

  // Keeps `sink` in step with the server until Stop(). A sink that is watched for already follows
  // this from now on; what it holds stays until the new list is complete. One thread at a time for
  // one sink. The sink must outlive the cluster's Stop().
  void Watch(WatchSpec spec, watch::CacheSink& sink);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fedra
