#include "cluster-clients/cluster_impl.h"
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/worker_pool.h"
#include "cluster-clients/http/loop.h"
#include "cluster-clients/watch/channel.h"

namespace fedra {
namespace {

// Of all streams together: two full pages of large objects, however slowly they are read.
constexpr size_t kMaxUnread = size_t{64} << 20;

Error AnotherServerError() {
  Error error;
  error.code = ErrorCode::kConnection;
  error.message = "the kubeconfig leads to another server now, which has not been listed yet";
  return error;
}

}  // namespace

Cluster::Impl::Impl(ClusterName cluster, kube::AccessSettings access, ClusterOptions settings,
                    http::HttpLoop& loop, WorkerPool& workers, const Clock& clock,
                    Cluster::OnState on_state, Cluster::OnServer on_server)
    : name(std::move(cluster)),
      options(std::move(settings)),
      monitor(std::make_shared<HealthMonitor>(
          name, access, options, loop, workers, clock,
          [this, tell = std::move(on_state)](const ConnectionState& state) {
            OnState(state, tell);
          },
          std::move(on_server))),
      client(name, options, *monitor, clock),
      loop_(loop),
      share_{
          std::make_shared<watch::PoolShare>(workers, std::max<size_t>(workers.threads() / 2, 1)),
          std::make_shared<watch::UnreadBudget>(kMaxUnread)},
      clock_(clock),
      access_(std::move(access)) {}

// Watches stand still while the cluster is not connected, and begin again the moment it is.
void Cluster::Impl::OnState(const ConnectionState& state, const Cluster::OnState& tell) {
  const bool connected = state.phase == ConnectionPhase::kConnected;
  {
    const std::lock_guard lock(switching_);
    const bool before = watches_.With(
        [&](Watches& watches) { return std::exchange(watches.connected, connected); });
    if (connected && !before) ResumeWatches();
    if (before && !connected) SuspendWatches(state.why.value_or(Error{}));
  }
  if (tell) tell(state);
}

// A version of one cluster means nothing in another, which would not say so: its watch stays open
// and silent, or begins in the middle. So nothing is asked of the new server but lists, and from
// before it is asked until they are complete no cache says that it is in step.
void Cluster::Impl::UpdateAccess(const kube::AccessSettings& access) {
  const std::lock_guard lock(switching_);
  const bool same_server = kube::SameServer(std::exchange(access_, access), access);
  const bool connected = watches_.With([](const Watches& watches) { return watches.connected; });
  if (connected && !same_server) SuspendWatches(AnotherServerError());
  monitor->UpdateAccess(access);
  if (connected) ResumeWatches();  // also because what was forbidden may be allowed now
}

// One that is not connected lists when it is.
std::weak_ptr<const void> Cluster::Impl::Relist(const Choice& which) {
  Error why;
  why.code = ErrorCode::kConnection;
  why.message = "is being listed again";
  const auto begun = std::make_shared<int>();
  const std::lock_guard lock(switching_);
  if (!watches_.With([](const Watches& watches) { return watches.connected; })) return begun;
  for (const auto& reflector : Reflectors()) {
    if (!which(reflector->sink())) continue;
    reflector->Suspend(why);
    reflector->Resume(begun);
  }
  return begun;
}

std::vector<std::shared_ptr<watch::Reflector>> Cluster::Impl::Reflectors() const {
  return watches_.With([](const Watches& watches) { return watches.reflectors; });
}

void Cluster::Impl::SuspendWatches(const Error& why) {
  for (const auto& reflector : Reflectors()) reflector->Suspend(why);
}

void Cluster::Impl::ResumeWatches() {
  for (const auto& reflector : Reflectors()) reflector->Resume();
}

bool Cluster::Impl::Replace(const watch::Target& target, const watch::CacheSink& sink) {
  std::shared_ptr<watch::Reflector> old;
  const bool same = watches_.With([&](Watches& watches) {
    const auto found =
        std::find_if(watches.reflectors.begin(), watches.reflectors.end(),
                     [&](const auto& reflector) { return &reflector->sink() == &sink; });
    if (found == watches.reflectors.end()) return false;
    if ((*found)->target() == target) return true;
    old = std::move(*found);
    watches.reflectors.erase(found);
    return false;
  });
  if (old != nullptr) old->Stop();
  return !same;
}

void Cluster::Impl::Watch(WatchSpec spec, watch::CacheSink& sink) {
  monitor->AddGroup(spec.resource.group);
  watch::ReflectorOptions settings;
  settings.page_size = options.page_size;
  settings.max_page_bytes = options.max_response_bytes;
  settings.open_timeout = options.call_timeout;
  settings.watch_timeout = options.watch_timeout;
  settings.bounds = spec.bounds;
  settings.on_served_changed = [weak = std::weak_ptr(monitor)] {
    if (const auto alive = weak.lock()) alive->Rediscover();
  };
  settings.on_watch_lost = [weak = std::weak_ptr(monitor)] {
    if (const auto alive = weak.lock()) alive->RediscoverSoon();
  };
  if (options.on_read) {
    settings.on_read = [tell = options.on_read, cluster = name](const watch::ReadVolume& read) {
      tell(cluster, read);
    };
  }
  watch::Target target{name.value,          std::move(spec.resource), spec.metadata_only,
                       spec.keeps_unserved, std::move(spec.ns),       std::move(spec.labels)};
  if (!Replace(target, sink)) return;
  const auto reflector = std::make_shared<watch::Reflector>(std::move(target), sink, *this, loop_,
                                                            share_, clock_, std::move(settings));
  const std::lock_guard lock(switching_);
  const bool connected = watches_.With([&](Watches& watches) {
    if (watches.stopped) return false;
    watches.reflectors.push_back(reflector);
    return watches.connected;
  });
  if (connected) reflector->Resume();
}

// Everything the server says on a stream is a sign of life; a stream that is cut is reason to ask.
std::function<void()> Cluster::Impl::Open(http::Request request, http::StreamHandler handler) {
  http::StreamHandler watched;
  watched.on_open = [alive = monitor, next = std::move(handler.on_open)](int status) {
    if (status < 500 && status != 401) alive->NoteContact();
    next(status);
  };
  watched.on_data = [alive = monitor, next = std::move(handler.on_data)](std::string_view bytes) {
    alive->NoteContact();
    next(bytes);
  };
  watched.on_end = [alive = monitor, next = std::move(handler.on_end)](http::Reply reply) {
    const bool network = reply.failure && reply.failure->code != ErrorCode::kCancelled;
    if (network || reply.status == 401) alive->Suspect();
    next(std::move(reply));
  };
  return monitor->session()->Stream(std::move(request), std::move(watched));
}

void Cluster::Impl::Stop() {
  client.Stop();
  monitor->Stop();
  const auto reflectors = watches_.With([](Watches& watches) {
    watches.stopped = true;
    return std::exchange(watches.reflectors, {});
  });
  for (const auto& reflector : reflectors) reflector->Stop();
  loop_.Flush();  // the handlers of what was ended have run
}

}  // namespace fedra
