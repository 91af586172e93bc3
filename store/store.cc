#include "store/store.h"

#include <atomic>
#include <utility>

#include "store/retention.h"
#include "store/store_file.h"
#include "store/tables/intents.h"
#include "store/writer.h"

namespace fedra::store {

struct Store::Parts {
  Parts(StoreLock taken, bool was_created, int64_t highest_intent, std::unique_ptr<Connection> db,
        StoreOptions options)
      : lock(std::move(taken)),
        path(options.path),
        created(was_created),
        next_intent(highest_intent + 1),
        writer(std::move(db), std::move(options)) {}

  const StoreLock lock;  // first: given up after the writer has ended
  const std::string path;
  const bool created;
  std::atomic<int64_t> next_intent;
  Writer writer;
};

Result<std::unique_ptr<Store>> Store::Open(StoreOptions options) {
  if (options.path.empty()) return Fail(ErrorCode::kInvalidArgument, "store.path is empty");
  FEDRA_ASSIGN_OR_RETURN(StoreLock lock, StoreLock::Take(options.path));
  FEDRA_ASSIGN_OR_RETURN(const bool created, EnsureFile(options.path));
  FEDRA_ASSIGN_OR_RETURN(std::unique_ptr<Connection> db, OpenForWriting(options.path));
  FEDRA_RETURN_IF_ERROR(RemoveStrayVerdicts(*db));
  FEDRA_ASSIGN_OR_RETURN(const int64_t highest_intent, HighestIntentId(*db));
  auto parts = std::make_unique<Parts>(std::move(lock), created, highest_intent, std::move(db),
                                       std::move(options));
  return std::unique_ptr<Store>(new Store(std::move(parts)));
}

Store::Store(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Store::~Store() = default;

bool Store::created() const { return parts_->created; }
Result<void> Store::Commit(std::vector<Change> changes) {
  return BeginCommit(std::move(changes)).get();
}
std::future<Result<void>> Store::BeginCommit(std::vector<Change> changes) {
  return parts_->writer.BeginCommit(std::move(changes));
}
void Store::Enqueue(Change change) { parts_->writer.Enqueue(std::move(change)); }
Result<void> Store::Flush() { return parts_->writer.Flush(); }
int64_t Store::NewIntentId() { return parts_->next_intent.fetch_add(1); }
Result<std::unique_ptr<Reader>> Store::Read() const { return Reader::Open(parts_->path); }

StoreStats Store::Stats() const {
  StoreStats stats = parts_->writer.Stats();
  stats.file_bytes = FileBytes(parts_->path);
  stats.wal_bytes = FileBytes(parts_->path + "-wal");
  return stats;
}

}  // namespace fedra::store
