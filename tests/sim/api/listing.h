#pragma once
//
// Lists, page by page at one version, and watches that resume: the reading side of an API server on
// a Store.
//
// Thread rules: none of its own; the caller holds the store's lock.

#include <optional>
#include <string>
#include <vector>

#include "tests/sim/api/store.h"

namespace fedra::sim {

// Which objects of a resource a list or watch is about.
struct Filter {
  const ResourceType* type = nullptr;
  std::string ns;  // empty: all
  LabelSelector labels;
  FieldSelector fields;

  bool Matches(const ObjectKey& key, const Labels& object_labels) const;
};

struct ListRequest {
  Filter filter;
  size_t limit = 0;              // 0: no limit
  std::string continue_token;    // of the page before
  std::string version;           // resourceVersion parameter
  bool exact = false;            // resourceVersionMatch=Exact
  bool expire_continue = false;  // a fault: every token is too old
};

// The body of the list, in the resource's storage version.
Outcome<std::string> List(const Store& store, const ListRequest& request);

// One event for one watch, the type as seen through its filter.
struct WatchEvent {
  EventType type = EventType::kAdded;
  Text object;
  uint64_t version = 0;
};

// A watch between two reads.
class WatchCursor final {
 public:
  // `version` as in the request: empty or "0" begins with everything that exists. A version that is
  // no number or is too old is refused; that one is answered as an ERROR event. One of the future
  // is accepted, and there is nothing to read until the store is beyond it.
  static Outcome<WatchCursor> Open(const Store& store, Filter filter, std::string_view version);

  // The next events, at most about `limit`. Fails when the watch fell behind the history.
  Outcome<std::vector<WatchEvent>> Read(const Store& store, size_t limit);
  // Jumps over whatever has happened.
  void Skip(const Store& store) { version_ = store.version(); }

  bool ahead(const Store& store) const { return version_ > store.version(); }

  // Everything up to here has been read: what a bookmark says.
  uint64_t version() const { return version_; }
  const ResourceType& type() const { return *filter_.type; }

 private:
  explicit WatchCursor(Filter filter) : filter_(std::move(filter)) {}

  Filter filter_;
  uint64_t version_ = 0;
  std::vector<WatchEvent> initial_;  // still to be read, newest last
  size_t next_initial_ = 0;
};

// What the event is for this filter: objects enter and leave a selection by their labels.
std::optional<EventType> SeenAs(const Event& event, const Filter& filter);

}  // namespace fedra::sim
