#pragma once
//
// One SQLite connection: prepared statements, rows and errors in our words. Nothing here knows a
// table.
//
//   db.Run("DELETE FROM intents WHERE id = ?", {id});
//   db.Query("SELECT name, at FROM t WHERE uid = ?", {uid}, [&](Row& row) { Use(row.Text()); });
//
// Errors: kStorage (full, read-only, I/O), kCorrupt (damaged, not a database), kConflict (busy),
// kInvalidArgument (constraint, too big); each message names the file and what to do.
//
// Thread rules: one thread at a time (opened with SQLITE_OPEN_NOMUTEX).

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/result.h"
#include "base/types.h"

struct sqlite3;
struct sqlite3_stmt;

namespace fedra::store {

// A parameter of a statement. Refers to the text it was made from; lives as long as the call.
class Value final {
 public:
  // NOLINTBEGIN(google-explicit-constructor): so that a list of values reads like one.
  Value(std::nullopt_t) : kind_(Kind::kNull) {}
  Value(int number) : kind_(Kind::kInteger), number_(number) {}
  Value(int64_t number) : kind_(Kind::kInteger), number_(number) {}
  Value(const std::string& text) : kind_(Kind::kText), text_(text) {}
  Value(const ClusterName& name) : kind_(Kind::kText), text_(name.value) {}
  Value(WallTime time) : Value(int64_t{time.time_since_epoch().count()}) {}
  template <class T>
  Value(const std::optional<T>& value) : Value(value ? Value(*value) : Value(std::nullopt)) {}
  // NOLINTEND(google-explicit-constructor)

  // Binds to the parameter `index` (from 1); an SQLite code.
  int BindTo(sqlite3_stmt* statement, int index) const;

 private:
  enum class Kind { kNull, kInteger, kText };
  Kind kind_;
  int64_t number_ = 0;
  std::string_view text_;
};

// One row of a result, read column by column from the left. Lives as long as the call that got it.
class Row final {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}

  int64_t Integer();
  int Int() { return static_cast<int>(Integer()); }
  std::string Text();
  std::string_view View();  // until the next row
  ClusterName Cluster() { return ClusterName(Text()); }
  WallTime Time() { return WallTime(std::chrono::milliseconds(Integer())); }
  std::optional<WallTime> OptionalTime();
  ObjectKey Key();  // two columns: namespace, name

 private:
  bool SkipNull();

  sqlite3_stmt* const statement_;
  int next_ = 0;
};

enum class OpenMode {
  kReadWrite,  // the file must exist
  kReadOnly,
  kImmutable,  // read-only, and no other process writes: needs neither locks nor files beside it
};

class Connection final {
 public:
  // Does not touch the file's content yet: whether it is a database shows with the first statement.
  static Result<std::unique_ptr<Connection>> Open(const std::string& path, OpenMode mode);

  // Several statements without parameters: pragmas, transactions, migrations.
  Result<void> Execute(const std::string& script);
  // One statement. It is kept prepared, so `sql` must live as long as the connection: a literal.
  Result<void> Run(std::string_view sql, std::initializer_list<Value> values = {});
  Result<void> Query(std::string_view sql, std::initializer_list<Value> values,
                     const std::function<void(Row&)>& each);
  // One whose text depends on what is asked: not kept.
  Result<void> QueryOnce(const std::string& sql, std::span<const Value> values,
                         const std::function<void(Row&)>& each);
  // The first column of the only row.
  Result<int64_t> QueryInteger(std::string_view sql, std::initializer_list<Value> values = {});

  // Makes natural_order(text) known to statements: base/natural_order.h. Tables must not depend on
  // it, for other programs could not read them.
  Result<void> AddNaturalOrder();
  // Makes NAME(text) known to statements that are not kept; of the same name the last one counts.
  Result<void> AddTest(const char* name, std::function<bool(std::string_view)> test);

  // Whether following transactions wait for the disk (synchronous = FULL) or not (NORMAL). Not
  // inside one.
  Result<void> SetDurable(bool durable);
  // Rows that the last Run inserted, changed or deleted.
  int64_t Changed() const;
  // A failed statement may have ended the transaction by itself.
  bool InTransaction() const;
  // Pages that this connection's commits added to the write-ahead log since the last checkpoint.
  int PagesToCheckpoint() const;
  // Copies the log into the database as far as readers allow, without waiting for them. `truncate`
  // then also empties the log, if no reader looks at it.
  Result<void> Checkpoint(bool truncate);
  // Pages in the log, copied or not: while a reader looks at it, it goes on growing.
  int LogPages() const { return wal_pages_; }
  // Copies all of the log and has the next commit begin it anew. For that the readers that look at
  // it must end: waits for them, at most so long. False: one goes on.
  Result<bool> RestartLog(std::chrono::milliseconds wait);

  const std::string& path() const { return path_; }
  Error ErrorOf(int code) const;

 private:
  struct Closer {
    void operator()(sqlite3* handle) const;
  };
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalizer>;

  Connection(std::string path, sqlite3* handle);
  Result<sqlite3_stmt*> Prepared(std::string_view sql);
  Result<void> Step(sqlite3_stmt* statement, std::span<const Value> values,
                    const std::function<void(Row&)>* each);

  const std::string path_;
  std::unique_ptr<sqlite3, Closer> handle_;                     // outlives the statements below
  std::unordered_map<std::string_view, Statement> statements_;  // by their SQL
  std::optional<bool> durable_;                                 // what SetDurable last said
  int wal_pages_ = 0;           // length of the log after the last commit
  int checkpointed_pages_ = 0;  // how much of it the last checkpoint had copied
};

}  // namespace fedra::store
