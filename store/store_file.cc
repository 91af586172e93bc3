#include "store/store_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "store/migrations.h"

namespace fedra::store {
namespace {

Error ErrnoError(const std::string& path, std::string_view what, int number,
                 std::string_view hint) {
  Error error;
  error.code = ErrorCode::kStorage;
  error.message = fmt::format("store {}: {}: {} ({})", path, what,
                              std::generic_category().message(number), hint);
  return error;
}

std::string_view HintOf(int number) {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      return "create its folder, or set store.path";
    case ENOSPC:
    case EDQUOT:
      return "free some space on its disk, or set store.path";
    default:
      return "its folder must be writable by this user; or set store.path";
  }
}

struct flock WholeFile(short type) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

// The number that the holder wrote; empty if it could not.
std::string HolderOf(int fd) {
  char text[32];
  const ssize_t size = pread(fd, text, sizeof(text), 0);
  std::string digits(text, size > 0 ? static_cast<size_t>(size) : 0);
  return digits.substr(0, digits.find_first_not_of("0123456789"));
}

// For the refused: who holds it. A full disk may leave it empty, which costs only the number in a
// message.
void WriteHolder(int fd) {
  const std::string text = fmt::format("{}\n", getpid());
  if (ftruncate(fd, 0) != 0 || pwrite(fd, text.data(), text.size(), 0) < 0) return;
}

tl::unexpected<Error> NotAFile(const std::string& path) {
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format(
          "store {}: this is not a regular file (set store.path to a file, such as {}/fedra.db)",
          path, path));
}

Result<void> CheckIntegrity(Connection& db) {
  std::string finding;
  FEDRA_RETURN_IF_ERROR(
      db.Query("PRAGMA quick_check(1)", {}, [&](Row& row) { finding = row.Text(); }));
  if (finding == "ok") return {};
  return Fail(ErrorCode::kCorrupt,
              fmt::format("store {}: it is damaged: {} (move the file and its -wal away and start "
                          "again: all but history is rebuilt from the clusters)",
                          db.path(), finding));
}

Result<void> UseWal(Connection& db) {
  std::string mode;
  FEDRA_RETURN_IF_ERROR(
      db.Query("PRAGMA journal_mode = WAL", {}, [&](Row& row) { mode = row.Text(); }));
  if (mode == "wal") return {};
  return Fail(ErrorCode::kStorage,
              fmt::format("store {}: its file system cannot share memory between processes, as "
                          "network file systems cannot (set store.path to a local disk)",
                          db.path()));
}

// The first look at the content; SQLite sets up the log's shared memory here.
Result<void> CheckReadable(Connection& db) {
  FEDRA_ASSIGN_OR_RETURN(const Identity identity, Identify(db));
  if (identity.empty) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("store {}: it is empty: no daemon has started with it yet", db.path()));
  }
  if (identity.version == SchemaVersion()) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("store {}: it has schema {}, this fedra reads {} (use the version of "
                          "fedra that the daemon has)",
                          db.path(), identity.version, SchemaVersion()));
}

}  // namespace

Result<StoreLock> StoreLock::Take(const std::string& path) {
  const std::string name = path + ".lock";
  const int fd = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) {
    const int number = errno;
    return Fail(ErrnoError(path, "cannot create its lock file", number, HintOf(number)));
  }
  StoreLock lock(fd);
  struct flock whole = WholeFile(F_WRLCK);
  if (fcntl(fd, F_OFD_SETLK, &whole) != 0) {
    const int number = errno;
    if (number != EAGAIN && number != EACCES)
      return Fail(ErrnoError(path, "cannot lock it", number, "set store.path to a local disk"));
    const std::string holder = HolderOf(fd);
    return Fail(ErrorCode::kConflict, fmt::format("store {}: it is in use by process {} (one fedra "
                                                  "per store: stop that one, or set another "
                                                  "store.path)",
                                                  path, holder.empty() ? "unknown" : holder));
  }
  WriteHolder(fd);
  return lock;
}

std::optional<bool> StoreLock::IsHeld(const std::string& path) {
  const int fd = open((path + ".lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? std::optional<bool>(false) : std::nullopt;
  const StoreLock closes(fd);
  struct flock found = WholeFile(F_RDLCK);
  if (fcntl(fd, F_OFD_GETLK, &found) != 0) return std::nullopt;
  return found.l_type != F_UNLCK;
}

StoreLock::StoreLock(StoreLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

StoreLock::~StoreLock() {
  if (fd_ >= 0) close(fd_);
}

Result<bool> EnsureFile(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) return NotAFile(path);
    return info.st_size == 0;
  }
  // Before SQLite would, because it creates with 0644; its -wal and -shm follow the mode of this
  // one.
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    const int number = errno;
    return Fail(ErrnoError(path, "cannot create it", number, HintOf(number)));
  }
  close(fd);
  return true;
}

Result<std::unique_ptr<Connection>> OpenForWriting(const std::string& path) {
  FEDRA_ASSIGN_OR_RETURN(std::unique_ptr<Connection> db,
                         Connection::Open(path, OpenMode::kReadWrite));
  FEDRA_ASSIGN_OR_RETURN(const Identity identity, Identify(*db));
  if (identity.empty) {
    // Only possible before the first table: lets retention give pages back to the file system.
    FEDRA_RETURN_IF_ERROR(db->Execute("PRAGMA auto_vacuum = INCREMENTAL"));
  } else if (identity.version <= SchemaVersion()) {
    FEDRA_RETURN_IF_ERROR(CheckIntegrity(*db));
  }
  // A newer schema is refused before anything is written, the journal mode included.
  if (identity.version <= SchemaVersion()) FEDRA_RETURN_IF_ERROR(UseWal(*db));
  FEDRA_RETURN_IF_ERROR(
      db->Execute("PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 4194304"));
  FEDRA_RETURN_IF_ERROR(Migrate(*db, Migrations()));
  return db;
}

Result<std::unique_ptr<Connection>> OpenForReading(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) {
      return Fail(ErrorCode::kNotFound, fmt::format("store {}: it does not exist: no daemon has "
                                                    "started with it yet, or store.path differs",
                                                    path));
    }
    const int number = errno;
    return Fail(ErrnoError(path, "cannot read it", number, "run this as the daemon's user"));
  }
  if (!S_ISREG(info.st_mode)) return NotAFile(path);
  FEDRA_ASSIGN_OR_RETURN(std::unique_ptr<Connection> db,
                         Connection::Open(path, OpenMode::kReadOnly));
  const Result<void> readable = CheckReadable(*db);
  if (readable) return db;
  // After a proper end there is no log, and without write permission SQLite cannot make an empty
  // one. Then there is no writer either, and the file alone is all there is.
  if (readable.error().code != ErrorCode::kStorage || FileBytes(path + "-wal") > 0)
    return Fail(readable.error());
  FEDRA_ASSIGN_OR_RETURN(db, Connection::Open(path, OpenMode::kImmutable));
  FEDRA_RETURN_IF_ERROR(CheckReadable(*db));
  return db;
}

uint64_t FileBytes(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
}

}  // namespace fedra::store
