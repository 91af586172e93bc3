#pragma once
//
// How many Events may be written about one object: something that fails again and again must not
// fill the manager with lines that differ in a word. The numbers and rules are those of client-go's
// EventCorrelator (k8s.io/client-go/tools/record/events_cache.go, 0.36.3), through which go the
// Events of Kubernetes' own controllers; its writer of events.k8s.io (tools/events), which Kueue
// 0.19.2 uses, makes series and bounds nothing:
//
//   - 25 events of one type about one object at once, and one more every five minutes; what is left
//     out is counted with the next one that is the same;
//   - of those that differ in their message alone the tenth within ten minutes and all that follow
//     are one event, "(combined from similar events): ...". A server takes no other message for it
//     later (kubernetes/pkg/apis/core/validation/events.go, 1.37), so it keeps that of the first.
//
// Of thousands of objects the records of those that were heard of last are kept.
//
// Thread rules: none of its own; the caller's lock.

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/clock.h"

namespace fedra::reconcile {

// Values by key, of which the last 4,096 that were asked for are kept, and at most as many more.
template <class Value>
class LastAsked final {
 public:
  // A new one where none is kept. Until the next call.
  Value& operator[](const std::string& key) {
    if (const auto found = young_.find(key); found != young_.end()) return found->second;
    auto known = old_.extract(key);
    if (young_.size() >= kKept) old_ = std::exchange(young_, {});
    return known ? young_.insert(std::move(known)).position->second : young_[key];
  }

 private:
  static constexpr size_t kKept = 4096;
  std::unordered_map<std::string, Value> young_, old_;
};

class EventCorrelator final {
 public:
  struct Event {
    std::string_view object;  // its kind, name and UID, in whatever form
    std::string_view reason;
    bool is_warning = false;
    std::string_view message;
  };
  struct Written {
    bool is_combined = false;  // with others that differ in their message alone
    int times = 1;             // since the last one that was the same was written
  };
  // What becomes of an event that happens now; nothing: it is left out.
  std::optional<Written> Correlate(const Event& event, SteadyTime now);

  static std::string Combined(const std::string& message) {
    return "(combined from similar events): " + message;
  }

 private:
  struct Similar {
    std::set<std::string, std::less<>> messages;
    SteadyTime last{};
  };
  struct Budget {
    double left = 0;
    std::optional<SteadyTime> since;  // nothing: it is whole
  };

  bool IsCombined(const Event& event, SteadyTime now);
  bool MayWrite(const Event& event, SteadyTime now);

  LastAsked<Similar> similar_;  // by object, type and reason
  LastAsked<Budget> budgets_;   // by object and type
  LastAsked<int> left_out_;     // by object, type, reason and message; of combined ones without it
};

}  // namespace fedra::reconcile
