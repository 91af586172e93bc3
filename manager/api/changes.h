#pragma once
//
// What has changed in the store, as the API streams it to its subscribers: which topics changed and
// which jobs, and nothing that a viewer may not see. A subscriber then asks again for what it
// shows.
//
// Pure. The events' form is that of Server-Sent Events (HTML standard, 9.2).

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/types.h"
#include "manager/api/parameters.h"
#include "manager/api/viewer.h"
#include "manager/report/schema.h"

namespace fedra::api {

// Jobs that one event names; of more it says that there are many.
inline constexpr size_t kMostJobsNamed = 100;

struct Changes {
  bool daemon = false;   // what every document says of it
  bool workers = false;  // their rows
  std::set<ObjectKey> jobs = {};
  bool many_jobs = false;  // which, is not known; `jobs` is empty then

  bool empty() const { return !daemon && !workers && !many_jobs && jobs.empty(); }
  bool operator==(const Changes&) const = default;
};

// What a subscriber asks for.
struct Topics {
  bool daemon = false;
  bool workers = false;
  bool jobs = false;
  std::string ns = {};  // jobs of this namespace alone; empty: of all

  bool operator==(const Topics&) const = default;
};

// The names of all topics, in their order.
const std::vector<std::string>& TopicNames();
// Of a request; without any all are meant.
Topics TopicsOf(const Parameters& asked);

// With what has changed since, as one.
void Add(Changes& changes, const Changes& more);
// What of it is wanted and may be seen.
Changes ShownOf(const Changes& changes, const Topics& topics, const Viewer& viewer);

// What has changed lately, numbered: so that a client that comes back
// with its last id gets what it missed.
class RecentChanges final {
 public:
  // `epoch`: of this process alone, letters and digits.
  explicit RecentChanges(std::string epoch);

  // Under the next number.
  void Add(Changes changes);
  // Something has changed, and it is not known what: a subscriber with an earlier id has missed it.
  void AddUnknown();
  // "EPOCH.NUMBER", of now.
  std::string Id() const;
  // What has come since; null: that is not known.
  std::optional<Changes> Since(std::string_view id) const;

 private:
  const std::string epoch_;
  uint64_t number_ = 0;
  std::deque<Changes> kept_;  // the last one is that of number_
  size_t kept_jobs_ = 0;      // in all of them
};

// How often a subscriber gets something.
struct EventPace {
  std::chrono::milliseconds events{500};        // at most one in that time
  std::chrono::milliseconds heartbeat{15'000};  // a comment after that time without an event
};

// One subscriber: what it gets next, and what waits until it reads on. That stays small, however
// long it does not read.
class Subscription final {
 public:
  // Begins with an event that names the topics it will get.
  Subscription(Topics topics, Viewer viewer, EventPace pace);

  void Add(const Changes& changes);
  // It has missed something, and must ask for everything again.
  void RequireResync() { resync_ = true; }
  // If it sees more or less than before, it must resync.
  void SetViewer(Viewer viewer);
  // The next text, when the client can take one; empty: there is none. `id`: RecentChanges::Id().
  std::string Next(SteadyTime now, const std::string& id);

 private:
  std::string Event(const std::string& id);

  Topics topics_;
  EventPace pace_;
  Viewer viewer_;
  bool has_begun_ = false;
  bool resync_ = false;
  Changes waiting_;
  SteadyTime last_event_{};
  SteadyTime last_text_{};
};

// Of the events' data.
std::vector<report::schema::NamedSchema> ChangeSchemas();

}  // namespace fedra::api
