#pragma once
//
// The durable memory of one daemon: an SQLite file with a single writer thread.
//
//   FEDRA_ASSIGN_OR_RETURN(auto store, Store::Open({.path = "/var/lib/fedra/fedra.db"}));
//   FEDRA_RETURN_IF_ERROR(store->Commit({AddIntent{intent}, PutPlacement{placement}}));
//   ... the remote write ...
//   store->Enqueue(PutWorkload{row});
//
// Commit is for what cannot be found out again (placements, attempts, intents, lost-since,
// residues): it comes back when the changes are on the disk, all of them or none. Commits of many
// threads share one transaction. Enqueue is for what the clusters also know: it does not wait for
// the disk, a newer row of the same key replaces a waiting one, and what was not written when the
// machine dies is lost. A Commit overtakes enqueued changes of other rows, never of its own rows.
//
// Errors: kStorage (disk full, read-only, I/O), kCorrupt, kConflict (another process owns the
// file), kInvalidArgument (newer schema, not a store, a folder). After a failed Commit nothing of
// it is stored and the caller decides; enqueued changes are kept and tried again, so everything
// continues when space returns.
//
// Thread rules: every function may be called from any thread.
//
// Lifetime: the destructor writes what is enqueued, checkpoints and gives up the file.

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/changes.h"
#include "store/reader.h"
#include "store/written.h"

namespace fedra::store {

// One transaction of the writer, for metrics and for those who follow the store.
struct TransactionReport {
  bool ok = false;
  std::chrono::microseconds duration{0};
  std::vector<EndedAttempt> ended;  // that it has written
  Written written;                  // nothing, where it has failed
};

struct StoreOptions {
  // The file; created with mode 0600 when missing. Its folder must exist. Beside it live path-wal,
  // path-shm and path.lock.
  std::string path = {};
  // Events, ended attempts and removed workloads older than this are deleted.
  std::chrono::milliseconds history_retention = std::chrono::hours(720);
  // When the file grows above this, history goes earlier, oldest first. Living state is never
  // deleted.
  uint64_t max_bytes = uint64_t{1} << 30;
  // Wall time for retention. Must outlive the store.
  const Clock* clock = &SystemClock();
  // Called after each transaction, on the writer thread; must be quick and must not call the store.
  std::function<void(const TransactionReport&)> on_transaction = {};

  // How long an enqueued change may wait for company (and for its successor). A Commit never waits.
  std::chrono::milliseconds mirror_delay{20};
  // Changes per transaction, so that a burst does not delay a Commit for long.
  size_t max_batch = 500;
  // Above this many waiting changes Enqueue waits; while the disk refuses writes, the oldest events
  // go instead.
  size_t max_waiting = 100'000;
  // How often retention and checkpoints are looked at.
  std::chrono::milliseconds maintenance_interval{60'000};
};

// For metrics and /readyz.
struct StoreStats {
  uint64_t file_bytes = 0;       // the database
  uint64_t wal_bytes = 0;        // its write-ahead log
  size_t waiting = 0;            // changes not yet written
  uint64_t dropped_events = 0;   // since the start, because the disk refused writes for too long
  std::optional<Error> failing;  // the last transaction's error; null: it succeeded
};

class Store final {
 public:
  // Takes the file for this process, checks it, migrates it. Says what to do in each error.
  static Result<std::unique_ptr<Store>> Open(StoreOptions options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Whether Open found no file: memory begins here, everything else is rebuilt from the clusters.
  bool created() const;

  Result<void> Commit(std::vector<Change> changes);
  // The same for a caller that has something else to do meanwhile. What it answers must be read.
  [[nodiscard]] std::future<Result<void>> BeginCommit(std::vector<Change> changes);
  void Enqueue(Change change);
  // Waits until everything enqueued before the call is written; the error if the disk refuses.
  Result<void> Flush();

  // A fresh id for AddIntent: not given before by this process, and above those still in the file.
  int64_t NewIntentId();

  // What is stored now, as one consistent view.
  Result<std::unique_ptr<Reader>> Read() const;
  StoreStats Stats() const;

 private:
  struct Parts;
  explicit Store(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace fedra::store
