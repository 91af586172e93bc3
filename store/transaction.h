#pragma once
//
// One batch as one SQLite transaction.
//
// Thread rules: those of the connection.

#include <vector>

#include "base/result.h"
#include "store/connection.h"
#include "store/pending.h"

namespace fedra::store {

struct BatchOutcome {
  // An error here: nothing of the batch is stored, and it is the disk's fault, not the content's.
  Result<void> all;
  // One per group. A group that is wrong in itself fails alone and leaves nothing behind.
  std::vector<Result<void>> groups;
  std::vector<EndedAttempt> ended;  // that are stored
};

// With groups the transaction is on the disk when this returns (synchronous=FULL); without, it
// survives the death of the process but not that of the machine (NORMAL).
BatchOutcome WriteBatch(Connection& db, const Batch& batch);

}  // namespace fedra::store
