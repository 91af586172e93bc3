#include "store/backup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "base/write_file.h"
#include "store/connection.h"
#include "store/store_file.h"

namespace fedra::store {
namespace {

tl::unexpected<Error> Failed(const std::string& target, int number) {
  return Fail(number == EEXIST ? ErrorCode::kAlreadyExists : ErrorCode::kStorage,
              fmt::format("backup {}: {}", target, std::generic_category().message(number)));
}

Result<void> CopyInto(const std::string& path, const std::string& target, int fd) {
  FEDRA_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> db, OpenForReading(path));
  // One read transaction; the writer goes on meanwhile.
  FEDRA_RETURN_IF_ERROR(db->Run("VACUUM INTO ?", {target}));
  if (fsync(fd) != 0) return Failed(target, errno);
  return {};
}

}  // namespace

Result<void> BackupStore(const std::string& path, const std::string& target) {
  struct stat there{};
  // To remove it, as for a file, would be bad advice.
  if (lstat(target.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("backup {}: it is {}: name a file that does not exist yet", target,
                            FileTypeText(there.st_mode)));
  }
  const int fd = open(target.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return Failed(target, errno);
  const Result<void> copied = CopyInto(path, target, fd);
  close(fd);
  if (copied) return {};
  unlink(target.c_str());
  return Fail(copied.error().WithContext("backup " + target));
}

}  // namespace fedra::store
