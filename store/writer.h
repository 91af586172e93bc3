#pragma once
//
// The single writer thread: drains Pending into transactions, retries what the disk refused, trims
// history and checkpoints when no caller waits.
//
// A failed transaction fails the commits in it, and gives the enqueued changes back to Pending;
// they are tried again every second and with every commit that succeeds. The failure and its end
// are logged once each.
//
// Thread rules: every public function may be called from any thread.
// Lifetime: the destructor writes what waits (unless the disk refuses) and empties the log.

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "store/connection.h"
#include "store/pending.h"
#include "store/store.h"
#include "store/transaction.h"
#include "store/written.h"

namespace fedra::store {

class Writer final {
 public:
  Writer(std::unique_ptr<Connection> db, StoreOptions options);
  ~Writer();

  std::future<Result<void>> BeginCommit(std::vector<Change> changes);
  void Enqueue(Change change);
  Result<void> Flush();
  // Everything but the sizes of the files.
  StoreStats Stats() const;

 private:
  struct Flushing {
    uint64_t up_to = 0;  // the number of the last change it waits for
    std::promise<Result<void>> done;
  };
  struct State {
    Pending pending;
    std::vector<Flushing> flushes;
    SteadyTime due{};              // when what is enqueued must be written, if anything is
    std::optional<Error> failing;  // the last transaction's error
    uint64_t dropped_events = 0;
    bool stopping = false;
  };
  struct Work {
    Batch batch;
    bool stopping = false;
  };

  void Run();
  Work Next();
  bool IsDue(const State& state) const;
  bool Write(Batch batch);
  void AnswerFlushes();
  void Maintain();
  void Checkpoint();
  void RestartLog();

  // Constant after construction.
  const StoreOptions options_;

  // Writer thread only.
  const std::unique_ptr<Connection> db_;
  WrittenRows written_;
  SteadyTime maintenance_at_;

  Guarded<State> state_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace fedra::store
