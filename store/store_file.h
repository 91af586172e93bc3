#pragma once
//
// The store's file as the operating system sees it: whose it is, whether it is there, how large it
// is.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/connection.h"

namespace fedra::store {

// Holds path.lock: one process per store. The lock ends with the process, however that ends. It is
// an open file description lock, fcntl(2): others can ask whether it is held without taking it.
//
// Thread rules: a plain handle.
class StoreLock final {
 public:
  // kConflict, with the other's process id, when it is taken; kStorage when the folder is not
  // writable.
  static Result<StoreLock> Take(const std::string& path);
  ~StoreLock();
  StoreLock(StoreLock&& other) noexcept;
  // Whether a process holds the one of this store now. Null: this user may not look.
  static std::optional<bool> IsHeld(const std::string& path);
  StoreLock& operator=(StoreLock&&) = delete;

 private:
  explicit StoreLock(int fd) : fd_(fd) {}
  int fd_;  // -1: moved from
};

// Makes sure that `path` is a regular file, creating an empty one with mode 0600. True: it was
// created.
Result<bool> EnsureFile(const std::string& path);

// The writer's connection to a checked, migrated file. Only under the lock.
Result<std::unique_ptr<Connection>> OpenForWriting(const std::string& path);

// A connection for reading, with or without a daemon, also where this user may not write.
Result<std::unique_ptr<Connection>> OpenForReading(const std::string& path);

// 0 when it does not exist.
uint64_t FileBytes(const std::string& path);

}  // namespace fedra::store
