#include "tests/unit/store/faulty_disk.h"

#include <sqlite3.h>

namespace fedra::store {

std::atomic<int> FaultyDisk::write_error{0};
std::atomic<int> FaultyDisk::sync_error{0};
std::atomic<int> FaultyDisk::syncs{0};

namespace {

// SQLite allocates szOsFile bytes: ours, then the real file's.
struct File {
  sqlite3_file base;
  sqlite3_file* real;
};

sqlite3_vfs* Real(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }
sqlite3_file* Real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real; }
const sqlite3_io_methods* Methods(sqlite3_file* file) { return Real(file)->pMethods; }

int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  if (const int error = FaultyDisk::write_error) return error;
  return Methods(file)->xWrite(Real(file), bytes, size, offset);
}

int Sync(sqlite3_file* file, int flags) {
  if (const int error = FaultyDisk::sync_error) return error;
  ++FaultyDisk::syncs;
  return Methods(file)->xSync(Real(file), flags);
}

const sqlite3_io_methods kMethods = {
    .iVersion = 3,
    .xClose = [](sqlite3_file* f) { return Methods(f)->xClose(Real(f)); },
    .xRead = [](sqlite3_file* f, void* b, int n,
                sqlite3_int64 o) { return Methods(f)->xRead(Real(f), b, n, o); },
    .xWrite = Write,
    .xTruncate = [](sqlite3_file* f, sqlite3_int64 n) { return Methods(f)->xTruncate(Real(f), n); },
    .xSync = Sync,
    .xFileSize = [](sqlite3_file* f,
                    sqlite3_int64* n) { return Methods(f)->xFileSize(Real(f), n); },
    .xLock = [](sqlite3_file* f, int l) { return Methods(f)->xLock(Real(f), l); },
    .xUnlock = [](sqlite3_file* f, int l) { return Methods(f)->xUnlock(Real(f), l); },
    .xCheckReservedLock = [](sqlite3_file* f,
                             int* r) { return Methods(f)->xCheckReservedLock(Real(f), r); },
    .xFileControl = [](sqlite3_file* f, int op,
                       void* a) { return Methods(f)->xFileControl(Real(f), op, a); },
    .xSectorSize = [](sqlite3_file* f) { return Methods(f)->xSectorSize(Real(f)); },
    .xDeviceCharacteristics =
        [](sqlite3_file* f) { return Methods(f)->xDeviceCharacteristics(Real(f)); },
    .xShmMap = [](sqlite3_file* f, int p, int s, int e,
                  void volatile** m) { return Methods(f)->xShmMap(Real(f), p, s, e, m); },
    .xShmLock = [](sqlite3_file* f, int o, int n,
                   int l) { return Methods(f)->xShmLock(Real(f), o, n, l); },
    .xShmBarrier = [](sqlite3_file* f) { Methods(f)->xShmBarrier(Real(f)); },
    .xShmUnmap = [](sqlite3_file* f, int d) { return Methods(f)->xShmUnmap(Real(f), d); },
    .xFetch = [](sqlite3_file* f, sqlite3_int64 o, int n,
                 void** p) { return Methods(f)->xFetch(Real(f), o, n, p); },
    .xUnfetch = [](sqlite3_file* f, sqlite3_int64 o,
                   void* p) { return Methods(f)->xUnfetch(Real(f), o, p); },
};

int Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
  auto* const ours = reinterpret_cast<File*>(file);
  ours->real = reinterpret_cast<sqlite3_file*>(ours + 1);
  const int code = Real(vfs)->xOpen(Real(vfs), name, ours->real, flags, out);
  ours->base.pMethods = ours->real->pMethods != nullptr ? &kMethods : nullptr;
  return code;
}

}  // namespace

struct FaultyDisk::Vfs {
  sqlite3_vfs* real = nullptr;
  sqlite3_vfs ours{};
};

FaultyDisk::FaultyDisk() : vfs_(std::make_unique<Vfs>()) {
  write_error = 0;
  sync_error = 0;
  syncs = 0;
  vfs_->real = sqlite3_vfs_find(nullptr);
  vfs_->ours = *vfs_->real;  // whatever else it does needs no file of ours
  vfs_->ours.zName = "faulty";
  vfs_->ours.szOsFile = static_cast<int>(sizeof(File)) + vfs_->real->szOsFile;
  vfs_->ours.pAppData = vfs_->real;
  vfs_->ours.xOpen = Open;
  sqlite3_vfs_register(&vfs_->ours, 1);
}

FaultyDisk::~FaultyDisk() {
  sqlite3_vfs_register(vfs_->real, 1);
  sqlite3_vfs_unregister(&vfs_->ours);
}

}  // namespace fedra::store
