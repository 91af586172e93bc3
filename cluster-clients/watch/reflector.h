#pragma once
//
// Keeps a CacheSink in step with one resource of one cluster: does what the Watcher says.
//
// It asks only between Resume() and Suspend(), that is while the cluster is connected. Bytes arrive
// on the io loop and are read on a worker; what is not read in time is bounded, beyond that the
// list is asked for again. So is what is kept: a list above its bounds fails (kTooLarge), and what
// the sink held before stays.
//
// Thread rules: every function may be called from any thread but the io loop's. The sink is called
// by one worker at a time. Lifetime: owned by a shared_ptr; loop, workers, clock, source and sink
// must outlive Stop(). After Stop() the sink is not called any more.

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "cluster-clients/http/message.h"
#include "cluster-clients/kube/list_reader.h"
#include "cluster-clients/kube/resource.h"
#include "cluster-clients/watch/list_bounds.h"
#include "cluster-clients/watch/object_cache.h"
#include "cluster-clients/watch/pool_share.h"
#include "cluster-clients/watch/read_volume.h"
#include "cluster-clients/watch/serial_queue.h"
#include "cluster-clients/watch/watch_event.h"
#include "cluster-clients/watch/watcher.h"

namespace fedra::http {
class HttpLoop;
}

namespace fedra::watch {

class Channel;
struct UnreadBudget;

// What the reflectors of one cluster have in common.
struct ClusterShare {
  std::shared_ptr<PoolShare> workers;
  std::shared_ptr<UnreadBudget> unread;
};

// The connection of the cluster; a seam for tests.
class StreamSource {
 public:
  virtual ~StreamSource() = default;
  // Asks the server. Never blocks; on_end always comes. The result ends the stream early when
  // called.
  virtual std::function<void()> Open(http::Request request, http::StreamHandler handler) = 0;
};

struct Target {
  std::string cluster;  // for messages
  kube::Resource resource;
  bool metadata_only = false;   // PartialObjectMetadata instead of the objects
  bool keeps_unserved = false;  // a 404 for the whole resource leaves the content as it is
  std::string ns = {};          // only the objects of this namespace; empty: all
  std::string labels = {};      // only those that this label selector selects; empty: all

  bool operator==(const Target&) const = default;
};

struct ReflectorOptions {
  size_t page_size = 500;
  size_t max_page_bytes = 256u << 20;
  size_t max_unread_bytes = 32u << 20;  // of one stream; beyond: list again, in smaller pages
  ListBounds bounds;
  std::chrono::milliseconds open_timeout{10'000};  // until an answer begins
  std::chrono::seconds watch_timeout{290};
  std::function<void()> on_served_changed;  // the resource has appeared or vanished; on a worker
  // An open watch was cut, or ended long before its time: the server may be another one now. On a
  // worker.
  std::function<void()> on_watch_lost;
  // So much has been read, on a worker. Null: it is not counted.
  std::function<void(const ReadVolume& read)> on_read = {};
};

class Reflector final : public std::enable_shared_from_this<Reflector> {
 public:
  Reflector(Target target, CacheSink& sink, StreamSource& source, http::HttpLoop& loop,
            ClusterShare share, const Clock& clock, ReflectorOptions options);

  // The cluster is connected: ask now, and forget earlier failures. After Suspend() with a list.
  // `until`: let go when this has begun to be true.
  void Resume(std::shared_ptr<const void> until = nullptr);
  // The cluster is not connected: nothing is asked until Resume().
  void Suspend(Error why);
  void Stop();

  const Target& target() const { return target_; }
  const CacheSink& sink() const { return sink_; }

 private:
  void Apply(const Output& output);
  void Deliver(Output::Deliver what, std::string_view object = {});
  void Publish(CacheState state, std::optional<Error> error);
  void Schedule(const Output& output);
  void Open(const Output& output);
  void Connect(http::Request request);
  void Close();
  void Drain(const std::shared_ptr<Channel>& channel);
  Output Feed(std::string_view bytes);
  void BeginPage(const Output& page);
  Output FeedList(std::string_view bytes);
  Output FeedWatch(std::string_view bytes);
  Output OnLine(std::string_view line);
  Output PageDone(const http::Reply& reply);
  Output WatchDone(const http::Reply& reply);
  Result<void> WithinBounds() const;
  std::chrono::milliseconds Lived() const;
  void Broken(const Error& error);

  const Target target_;
  CacheSink& sink_;
  StreamSource& source_;
  http::HttpLoop& loop_;
  const Clock& clock_;
  const ReflectorOptions options_;
  const ClusterShare share_;
  const std::shared_ptr<SerialQueue> serial_;

  // Inside of serial_ only.
  Watcher watcher_;
  bool active_ = false;
  uint64_t round_ = 0;  // a scheduled request of an earlier round is void
  std::shared_ptr<Channel> channel_;
  std::function<void()> cancel_;
  bool listing_ = false;  // what the stream is: a page, or a watch
  std::optional<kube::ListReader> list_;
  // Of the list that is arriving. A hostile server may name the same object again and again.
  struct {
    size_t limit = 0;         // what this page was asked for; 0: everything
    size_t page_objects = 0;  // of this page
    size_t pages = 0;         // of the whole list
    size_t objects = 0;
    size_t bytes = 0;
  } arrived_;
  std::optional<LineSplitter> lines_;
  size_t events_read_ = 0;               // of the piece that is being read
  std::optional<SteadyTime> opened_at_;  // when the answer began
  CacheHealth health_;
  SteadyTime complained_{};  // about an object that cannot be read
};

}  // namespace fedra::watch
