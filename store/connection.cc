#include "store/connection.h"

#include <sqlite3.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/natural_order.h"

namespace fedra::store {
namespace {

// How long a statement waits for another connection: readers and the writer meet only at
// checkpoints.
constexpr int kBusyTimeoutMs = 5000;

// A file: URI takes '?' and '#' as its own.
std::string UriOf(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

int FlagsOf(OpenMode mode) {
  switch (mode) {
    case OpenMode::kReadWrite:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    case OpenMode::kReadOnly:
      return SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    case OpenMode::kImmutable:
      return SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  }
  return 0;
}

int RememberWalPages(void* pages, sqlite3*, const char*, int count) {
  *static_cast<int*>(pages) = count;
  return SQLITE_OK;
}

std::string_view TextOf(sqlite3_value* value) {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));
  const auto size = static_cast<size_t>(sqlite3_value_bytes(value));
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
}

// natural_order(text).
void NaturalOrder(sqlite3_context* context, int, sqlite3_value** values) {
  const std::string text = InNaturalOrder(TextOf(values[0]));
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

using Test = std::function<bool(std::string_view)>;

void RunTest(sqlite3_context* context, int, sqlite3_value** values) {
  const Test& test = *static_cast<const Test*>(sqlite3_user_data(context));
  sqlite3_result_int(context, test(TextOf(values[0])) ? 1 : 0);
}

// "Input/output error; ", or nothing when the operating system did not say.
std::string SystemError(sqlite3* handle) {
  const int number = handle == nullptr ? 0 : sqlite3_system_errno(handle);
  return number == 0 ? "" : std::generic_category().message(number) + "; ";
}

}  // namespace

int Value::BindTo(sqlite3_stmt* statement, int index) const {
  switch (kind_) {
    case Kind::kNull:
      return sqlite3_bind_null(statement, index);
    case Kind::kInteger:
      return sqlite3_bind_int64(statement, index, number_);
    case Kind::kText:
      return sqlite3_bind_text64(statement, index, text_.data(), text_.size(), SQLITE_STATIC,
                                 SQLITE_UTF8);
  }
  return SQLITE_MISUSE;
}

int64_t Row::Integer() { return sqlite3_column_int64(statement_, next_++); }

std::string_view Row::View() {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, next_));
  const int size = sqlite3_column_bytes(statement_, next_++);
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, static_cast<size_t>(size));
}

std::string Row::Text() { return std::string(View()); }

bool Row::SkipNull() {
  if (sqlite3_column_type(statement_, next_) != SQLITE_NULL) return false;
  ++next_;
  return true;
}

std::optional<WallTime> Row::OptionalTime() {
  return SkipNull() ? std::nullopt : std::optional(Time());
}

ObjectKey Row::Key() {
  std::string ns = Text();
  return {std::move(ns), Text()};
}

void Connection::Closer::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
void Connection::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Connection::Connection(std::string path, sqlite3* handle)
    : path_(std::move(path)), handle_(handle) {}

Result<std::unique_ptr<Connection>> Connection::Open(const std::string& path, OpenMode mode) {
  // Absolute, so that no name (":memory:", "file:x") means anything special to SQLite.
  std::error_code failed;
  const std::string absolute = std::filesystem::absolute(path, failed).string();
  if (failed) return Fail(ErrorCode::kStorage, fmt::format("store {}: {}", path, failed.message()));
  sqlite3* handle = nullptr;
  const std::string name = mode == OpenMode::kImmutable ? UriOf(absolute) : absolute;
  const int code = sqlite3_open_v2(name.c_str(), &handle, FlagsOf(mode), nullptr);
  std::unique_ptr<Connection> connection(new Connection(path, handle));
  if (code != SQLITE_OK) return Fail(connection->ErrorOf(code));
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  // Also ends automatic checkpoints, which are such a hook.
  sqlite3_wal_hook(handle, RememberWalPages, &connection->wal_pages_);
  return connection;
}

Error Connection::ErrorOf(int code) const {
  const std::string detail = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  const auto make = [&](ErrorCode kind, std::string_view hint) {
    Error error;
    error.code = kind;
    error.message = fmt::format("store {}: {}{}", path_, detail, hint);
    return error;
  };
  switch (code & 0xff) {
    case SQLITE_FULL:
      return make(ErrorCode::kStorage,
                  " (free some space on its disk; writing continues by itself)");
    case SQLITE_IOERR:
      return make(ErrorCode::kStorage, fmt::format(" ({}look at its disk and the kernel log)",
                                                   SystemError(handle_.get())));
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return make(ErrorCode::kStorage,
                  " (the file, its -wal and -shm and their folder must be writable by this user)");
    case SQLITE_CANTOPEN:
      return make(ErrorCode::kStorage,
                  " (does its folder exist, and may this user read and write there?)");
    case SQLITE_NOMEM:
      return make(ErrorCode::kStorage, "");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return make(
          ErrorCode::kCorrupt,
          " (move the file away and start again: all but history is rebuilt from the clusters)");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return make(ErrorCode::kConflict, " (another process uses it)");
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
      return make(ErrorCode::kInvalidArgument, "");
    default:
      return make(ErrorCode::kInternal, "");
  }
}

Result<void> Connection::Execute(const std::string& script) {
  const int code = sqlite3_exec(handle_.get(), script.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return Fail(ErrorOf(code));
  return {};
}

Result<sqlite3_stmt*> Connection::Prepared(std::string_view sql) {
  const auto known = statements_.find(sql);
  if (known != statements_.end()) return known->second.get();
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return Fail(ErrorOf(code));
  statements_.emplace(sql, Statement(statement));
  return statement;
}

Result<void> Connection::Step(sqlite3_stmt* statement, std::span<const Value> values,
                              const std::function<void(Row&)>* each) {
  FEDRA_ASSERT(static_cast<size_t>(sqlite3_bind_parameter_count(statement)) == values.size(),
               "a statement gets as many values as it has parameters");
  int code = SQLITE_OK;
  int index = 0;
  for (const Value& value : values) {
    if (code == SQLITE_OK) code = value.BindTo(statement, ++index);
  }
  if (code == SQLITE_OK) code = sqlite3_step(statement);
  for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
    Row row(statement);
    if (each != nullptr) (*each)(row);
  }
  // The message goes with the reset, the values with the caller.
  std::optional<Error> error;
  if (code != SQLITE_DONE) error = ErrorOf(code);
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  if (error) return Fail(*std::move(error));
  return {};
}

Result<void> Connection::Run(std::string_view sql, std::initializer_list<Value> values) {
  FEDRA_ASSIGN_OR_RETURN(sqlite3_stmt* const statement, Prepared(sql));
  return Step(statement, values, nullptr);
}

Result<void> Connection::Query(std::string_view sql, std::initializer_list<Value> values,
                               const std::function<void(Row&)>& each) {
  FEDRA_ASSIGN_OR_RETURN(sqlite3_stmt* const statement, Prepared(sql));
  return Step(statement, values, &each);
}

Result<void> Connection::QueryOnce(const std::string& sql, std::span<const Value> values,
                                   const std::function<void(Row&)>& each) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()), 0,
                                      &handle, nullptr);
  if (code != SQLITE_OK) return Fail(ErrorOf(code));
  const Statement statement(handle);
  return Step(statement.get(), values, &each);
}

Result<int64_t> Connection::QueryInteger(std::string_view sql,
                                         std::initializer_list<Value> values) {
  int64_t number = 0;
  FEDRA_RETURN_IF_ERROR(Query(sql, values, [&](Row& row) { number = row.Integer(); }));
  return number;
}

Result<void> Connection::AddNaturalOrder() {
  const int code = sqlite3_create_function_v2(
      handle_.get(), "natural_order", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
      nullptr, NaturalOrder, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return Fail(ErrorOf(code));
  return {};
}

Result<void> Connection::AddTest(const char* name, std::function<bool(std::string_view)> test) {
  // SQLite deletes it, whether this succeeds or not.
  auto* const owned = new Test(std::move(test));
  const int code = sqlite3_create_function_v2(
      handle_.get(), name, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, owned, RunTest, nullptr, nullptr,
      [](void* each) { delete static_cast<Test*>(each); });
  if (code != SQLITE_OK) return Fail(ErrorOf(code));
  return {};
}

Result<void> Connection::SetDurable(bool durable) {
  if (durable_ == durable) return {};
  // Never as a kept statement: this pragma takes effect when it is prepared, not when it is run.
  FEDRA_RETURN_IF_ERROR(
      Execute(durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"));
  durable_ = durable;
  return {};
}

int64_t Connection::Changed() const { return sqlite3_changes64(handle_.get()); }
bool Connection::InTransaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

int Connection::PagesToCheckpoint() const {
  // A log that is shorter than what was copied has started again from its beginning.
  return wal_pages_ >= checkpointed_pages_ ? wal_pages_ - checkpointed_pages_ : wal_pages_;
}

Result<void> Connection::Checkpoint(bool truncate) {
  int in_log = 0;
  int done = 0;
  int code =
      sqlite3_wal_checkpoint_v2(handle_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &in_log, &done);
  if (code != SQLITE_OK) return Fail(ErrorOf(code));
  wal_pages_ = in_log;
  checkpointed_pages_ = done;
  if (!truncate) return {};
  // A reader that still uses the log keeps it; we do not wait for readers.
  sqlite3_busy_timeout(handle_.get(), 0);
  code = sqlite3_wal_checkpoint_v2(handle_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                                   nullptr);
  sqlite3_busy_timeout(handle_.get(), kBusyTimeoutMs);
  if (code != SQLITE_OK && code != SQLITE_BUSY) return Fail(ErrorOf(code));
  return {};
}

Result<bool> Connection::RestartLog(std::chrono::milliseconds wait) {
  int in_log = 0;
  int done = 0;
  sqlite3_busy_timeout(handle_.get(), static_cast<int>(wait.count()));
  const int code =
      sqlite3_wal_checkpoint_v2(handle_.get(), nullptr, SQLITE_CHECKPOINT_RESTART, &in_log, &done);
  sqlite3_busy_timeout(handle_.get(), kBusyTimeoutMs);
  if (code != SQLITE_OK && code != SQLITE_BUSY) return Fail(ErrorOf(code));
  if (done >= 0) checkpointed_pages_ = done;
  if (code == SQLITE_BUSY) return false;
  wal_pages_ = checkpointed_pages_ = 0;
  return true;
}

}  // namespace fedra::store
