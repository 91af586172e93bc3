#include "store/transaction.h"

#include <string>
#include <utility>

#include "base/log.h"
#include "store/apply.h"

namespace fedra::store {
namespace {

// Whether the change itself is wrong, so that no other need suffer and a retry is useless.
bool IsOwnFault(const Error& error) { return error.code == ErrorCode::kInvalidArgument; }

// All of `write` or nothing of it, inside the transaction.
template <class F>
Result<void> InSavepoint(Connection& db, std::vector<EndedAttempt>& ended, F&& write) {
  FEDRA_RETURN_IF_ERROR(db.Run("SAVEPOINT part"));
  const size_t before = ended.size();
  Result<void> written = write();
  if (!written) ended.resize(before);
  if (!written && db.InTransaction()) FEDRA_RETURN_IF_ERROR(db.Run("ROLLBACK TO part"));
  if (db.InTransaction()) FEDRA_RETURN_IF_ERROR(db.Run("RELEASE part"));
  return written;
}

// No caller waits for these: a wrong one is reported and left out.
Result<void> WriteQueued(Connection& db, const std::vector<Queued>& queued,
                         std::vector<EndedAttempt>& ended) {
  for (const Queued& one : queued) {
    const Result<void> written =
        InSavepoint(db, ended, [&] { return Apply(db, one.change, ended); });
    if (written) continue;
    if (!IsOwnFault(written.error())) return written;
    log::Fault("store refused a change",
               {{"key", KeyOf(one.change)}, {"error", written.error().message}});
  }
  return {};
}

Result<void> WriteGroup(Connection& db, const CommitGroup& group, BatchOutcome& outcome) {
  FEDRA_RETURN_IF_ERROR(WriteQueued(db, group.before, outcome.ended));
  Result<void> written = InSavepoint(db, outcome.ended, [&]() -> Result<void> {
    for (const Change& change : group.changes)
      FEDRA_RETURN_IF_ERROR(Apply(db, change, outcome.ended));
    return {};
  });
  if (!written && !IsOwnFault(written.error())) return written;
  outcome.groups.push_back(std::move(written));
  return {};
}

Result<void> WriteAll(Connection& db, const Batch& batch, BatchOutcome& outcome) {
  FEDRA_RETURN_IF_ERROR(db.SetDurable(!batch.groups.empty()));
  FEDRA_RETURN_IF_ERROR(db.Run("BEGIN IMMEDIATE"));
  for (const CommitGroup& group : batch.groups)
    FEDRA_RETURN_IF_ERROR(WriteGroup(db, group, outcome));
  FEDRA_RETURN_IF_ERROR(WriteQueued(db, batch.queued, outcome.ended));
  return db.Run("COMMIT");
}

}  // namespace

BatchOutcome WriteBatch(Connection& db, const Batch& batch) {
  BatchOutcome outcome;
  outcome.all = WriteAll(db, batch, outcome);
  if (outcome.all) return outcome;
  if (db.InTransaction()) static_cast<void>(db.Run("ROLLBACK"));
  outcome.ended.clear();
  return outcome;
}

}  // namespace fedra::store
