#pragma once
//
// What waits for the writer: commits that a caller waits for, and enqueued changes of which only
// the latest per row is kept.
//
// A commit is taken before enqueued changes; those that are about one of its rows go with it,
// before it, so that per row the order of the calls always holds.
//
// Thread rules: none of its own; the writer guards it. Never fails, never blocks.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/changes.h"

namespace fedra::store {

// An enqueued change with its place in the order of arrival, from 1.
struct Queued {
  uint64_t number = 0;
  Change change;
};

// The changes of one Commit: all or none.
struct CommitGroup {
  std::vector<Queued>
      before;  // enqueued changes of the same rows; written even when the group fails
  std::vector<Change> changes;
  std::promise<Result<void>> done;
};

// What one transaction writes: the groups in order, then the rest.
struct Batch {
  std::vector<CommitGroup> groups;
  std::vector<Queued> queued;

  bool empty() const { return groups.empty() && queued.empty(); }
  size_t size() const;
};

class Pending final {
 public:
  void Add(Change change);
  std::future<Result<void>> AddGroup(std::vector<Change> changes);

  // At least one group if there is one, and no more than about `limit` rows in all. `with_queued`
  // false: only groups and what must go before them.
  Batch Take(size_t limit, bool with_queued);
  // After a failed transaction: what was enqueued waits again, unless something newer took its
  // place. The groups themselves are not kept: their callers know.
  void GiveBack(Batch batch);
  // Forgets the oldest piece of history that was enqueued; false if there is none.
  bool DropOldestHistory();

  bool HasGroups() const { return !groups_.empty(); }
  size_t Waiting() const { return rows_.size() + history_.size(); }
  // Number of the change that was enqueued last (0: none yet), and of the oldest that still waits
  // (0: none).
  uint64_t LastNumber() const { return last_number_; }
  uint64_t OldestNumber() const;

 private:
  void GiveBack(Queued queued);
  CommitGroup* GroupWith(const std::string& key);

  std::deque<CommitGroup> groups_;
  std::map<uint64_t, Change> rows_;                  // by arrival of the first change of that row
  std::unordered_map<std::string, uint64_t> place_;  // of a row's key in rows_
  std::map<uint64_t, Change> history_;
  uint64_t last_number_ = 0;
};

}  // namespace fedra::store
