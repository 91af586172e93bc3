#pragma once
//
// Which jobs a JobQuery means, as the FROM and WHERE of statements over the indexes
// workloads_listed and workloads_deleted.
//
// Thread rules: those of the connection. Lifetime: the connection, the query and the namespaces
// must outlive it.

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/result.h"
#include "store/connection.h"
#include "store/job_query.h"

namespace fedra::store {

// The namespaces whose jobs there are; null: all.
using ShownNamespaces = std::optional<std::set<std::string>>;

// A statement's values, which its text names by number. Refers to what it gets, but for Own().
class Values final {
 public:
  std::string Add(Value value) {
    values_.push_back(value);
    return fmt::format("?{}", values_.size());
  }
  std::string Own(std::string text) { return Add(texts_.emplace_back(std::move(text))); }
  std::string AddAll(const auto& list) {
    std::vector<std::string> names;
    for (const auto& each : list) names.push_back(Add(each));
    return fmt::format("({})", fmt::join(names, ", "));
  }
  // Not beside a call that adds: arguments are evaluated in any order.
  const std::vector<Value>& all() const { return values_; }

 private:
  std::vector<Value> values_;
  std::deque<std::string> texts_;
};

class JobSelection final {
 public:
  // Jobs that are in one index.
  struct Part {
    std::vector<std::string> states;  // of living ones; never empty
    bool is_deleted = false;          // deleted ones; `states` says nothing
  };

  JobSelection(Connection& db, const JobQuery& query, const ShownNamespaces& shown);

  // First of all: finds those with the labels.
  Result<void> Prepare();

  // All that are asked for; none: the query means no job. SQLite takes no index for what is never
  // true, not even one that it is told to take: no statement may be made of that.
  std::vector<Part> Parts() const;
  // What goes behind the columns: these jobs, whether they are listed or not.
  std::string From(const Part& part, Values& values) const;
  // Of those, whether they are listed.
  std::string Listed(const Part& part, Values& values) const;
  // What their state is called.
  std::string State(const Part& part, Values& values) const;

 private:
  Connection& db_;
  const JobQuery& query_;
  const ShownNamespaces& shown_;
};

// Living or deleted jobs in any state, as of From().
std::string FromShown(bool is_deleted, const ShownNamespaces& shown, Values& values);

// For maps that are asked by a std::string_view.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

}  // namespace fedra::store
