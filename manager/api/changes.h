#pragma once
//
// What has changed in the store, as those who watch are told: which topics, of jobs which, and
// nothing of what a viewer may not see. They ask again for what they show.
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

// What someone wants to be told of.
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

// What has changed lately, numbered: so that who comes back with the last id gets what was missed.
class RecentChanges final {
 public:
  // `epoch`: of this process alone, letters and digits.
  explicit RecentChanges(std::string epoch);

  // Under the next number.
  void Add(Changes changes);
  // Something has changed, and what is not known: whoever was told of less has missed something.
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

// How often one who watches is told something.
struct TellingPace {
  std::chrono::milliseconds events{500};        // at most one in that time
  std::chrono::milliseconds heartbeat{15'000};  // a comment after that time without an event
};

// What one who watches is told, and what waits until the client takes more: of few bytes, however
// long it does not.
class Telling final {
 public:
  // Begins with an event about what is told at all.
  Telling(Topics topics, Viewer viewer, TellingPace pace);

  void Tell(const Changes& changes);
  // Something was missed: everything is to be asked for anew.
  void TellToResync() { resync_ = true; }
  // Who sees more, or less, from now on is told to resync.
  void SetViewer(Viewer viewer);
  // The next text, when the client takes one; empty: there is nothing to say now. `id`: of now.
  std::string Next(SteadyTime now, const std::string& id);

 private:
  std::string Event(const std::string& id);

  Topics topics_;
  TellingPace pace_;
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
