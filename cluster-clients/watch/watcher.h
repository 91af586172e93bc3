#pragma once
//
// Turns LIST and WATCH into a stream of Reset/Upsert/Remove/Synced for one resource of one cluster.
//
// Pure: what arrived goes in (Input), what to do next comes out (Output); it performs no I/O and
// reads no clock, so every path, including 410 Gone in the middle of a page, is a table row in the
// test. After kube-rs' watcher.rs; the server's side is that of Kubernetes 1.36.
//
// Thread rules: none of its own; the reflector calls it from one worker thread at a time.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "base/error.h"
#include "base/types.h"
#include "cluster-clients/watch/backoff.h"
#include "cluster-clients/watch/object_cache.h"
#include "cluster-clients/watch/watch_event.h"

namespace fedra::watch {

struct WatcherOptions {
  size_t page_size = 500;  // objects per list page
};

// What arrived.
struct PageEnded {
  ResourceVersion version;
  std::string continue_token;  // empty: it was the last page
};
struct ListFailed {
  Error error;
};
struct WatchOpened {};
struct ObjectEvent {
  EventType type = EventType::kAdded;  // kAdded, kModified or kDeleted
  ResourceVersion version;
};
struct Bookmark {
  ResourceVersion version;
};
struct ErrorEvent {
  Error error;
};
struct WatchEnded {
  std::optional<Error> error;          // nothing: the server ended it properly
  bool opened = false;                 // false: it was refused
  std::chrono::milliseconds lived{0};  // since it was opened
};
// More bytes are waiting to be read than we keep; they have been thrown away.
struct Overflowed {};
// The credentials are others: ask again now.
struct Resumed {};
// The cluster was out of reach for a while, or another one answers in its place: what is known is
// old, and its version may mean nothing there.
struct Returned {};
using Input = std::variant<PageEnded, ListFailed, WatchOpened, ObjectEvent, Bookmark, ErrorEvent,
                           WatchEnded, Overflowed, Resumed, Returned>;

// What to do: first `deliver` to the sink, then publish `state`, then do `next`.
struct Output {
  enum class Deliver {
    kNothing,
    kReset,
    kUpsert,
    kRemove,
    kSynced,
    kClear,  // Reset and Synced: there are no objects
  };
  enum class Next {
    kContinue,  // go on reading what is open
    kList,      // close what is open, wait, then LIST with `limit` and `continue_token`
    kWatch,     // close what is open, wait, then WATCH from `version`
  };

  Deliver deliver = Deliver::kNothing;
  Next next = Next::kContinue;
  size_t limit = 0;  // 0: everything at once
  std::string continue_token;
  ResourceVersion version;
  std::optional<RetryClass> trouble;  // why to wait before `next`; nothing: at once
  int failures = 0;                   // in a row, for Backoff()
  // The server's Retry-After, a floor under Backoff()'s.
  std::optional<std::chrono::milliseconds> retry_after;
  std::optional<CacheState> state;  // changed health; the same as before is possible
  std::optional<Error> error;
};

class Watcher final {
 public:
  explicit Watcher(WatcherOptions options) : options_(options) {}

  // What to do first, and after each input. Never blocks, never fails.
  Output Start();
  Output Handle(const Input& input);

 private:
  // Nothing is known; the next output is a LIST without a resourceVersion.
  struct Empty {};
  // Pages are arriving. `token` belongs to the server and expires (410): then we start over.
  struct Paging {
    std::string token;
  };
  // The store is complete as of `version`; a watch is open or about to be.
  struct Watching {
    ResourceVersion version;
    bool heard = false;  // an event or a bookmark since the watch was opened
  };

  Output On(const PageEnded& input);
  Output On(const ListFailed& input);
  Output On(const WatchOpened& input);
  Output On(const ObjectEvent& input);
  Output On(const Bookmark& input);
  Output On(const ErrorEvent& input);
  Output On(const WatchEnded& input);
  Output On(const Overflowed& input);
  Output On(const Resumed& input);
  Output On(const Returned& input);

  Output Next();
  Output Relist();
  Output Retry(RetryClass trouble, const Error& error);
  Output Refused(const Error& error);
  Output NotServed(const Error& error);
  Output Stuck(const Error& error);
  Output TooLong(const Error& error);
  void Shrink();

  std::variant<Empty, Paging, Watching> state_;
  const WatcherOptions options_;
  size_t page_size_ = options_.page_size;  // smaller after pages that were too large
  int failures_ = 0;                       // in a row
  int no_progress_ =
      0;  // watches in a row that the server answered with an error, from the same version
  int expired_ = 0;  // lists in a row whose continue token expired
};

}  // namespace fedra::watch
