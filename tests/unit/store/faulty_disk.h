#pragma once
//
// A disk that can be told to refuse: an SQLite VFS in front of the real one, which new connections
// use while it lives. Stores must be closed before it is.

#include <atomic>
#include <memory>

namespace fedra::store {

class FaultyDisk final {
 public:
  FaultyDisk();
  ~FaultyDisk();

  // An SQLite code (SQLITE_FULL, SQLITE_IOERR_WRITE, ...) for every write, or every sync, from now
  // on; 0: none.
  static std::atomic<int> write_error;
  static std::atomic<int> sync_error;
  // Syncs of a log or database since the start.
  static std::atomic<int> syncs;

 private:
  struct Vfs;
  std::unique_ptr<Vfs> vfs_;
};

}  // namespace fedra::store
