#include "base/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace fedra {
namespace {

constexpr mode_t kPrivate = 0600;
constexpr mode_t kPermissions = 0777;
// As the kernel follows them.
constexpr int kMostLinks = 40;

tl::unexpected<Error> Failed(const std::string& path, const char* what, int number) {
  return Fail(ErrorCode::kStorage,
              fmt::format("{}: {}: {}", path, what, std::generic_category().message(number)));
}

class Descriptor final {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  // Some file systems report only here that the disk is full. 0: closed; else errno.
  int Close() { return close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_;
};

// 0: all of it is written; else errno.
int WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return ENOSPC;  // as a device may answer that takes no more
    text.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

std::optional<struct stat> StatusOf(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

// Where the last link of a chain leads, whether or not something is there yet.
Result<std::string> Followed(std::string path) {
  const std::string asked = path;
  for (int i = 0; i < kMostLinks; ++i) {
    std::array<char, PATH_MAX> target{};
    const ssize_t size = readlink(path.c_str(), target.data(), target.size());
    if (size < 0) return path;  // no link
    const std::string next(target.data(), static_cast<size_t>(size));
    path = next.starts_with('/') ? next : path.substr(0, path.rfind('/') + 1) + next;
  }
  return Failed(asked, "cannot be written", ELOOP);
}

bool IsStandardOutput(const struct stat& status) {
  struct stat output{};
  return fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == status.st_dev &&
         output.st_ino == status.st_ino;
}

// Without O_CREAT and O_TRUNC: what is there is used, never replaced.
Result<void> WriteThrough(const std::string& path, bool is_standard_output, std::string_view text) {
  Descriptor file(is_standard_output ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                                     : open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (file.number() < 0) return Failed(path, "cannot be opened", errno);
  if (const int number = WriteAll(file.number(), text); number != 0)
    return Failed(path, "cannot be written", number);
  if (const int number = file.Close(); number != 0)
    return Failed(path, "cannot be written", number);
  return {};
}

// 0: the file has the mode and, where we may, the owner of `model`; else errno.
int Resemble(int file, const std::optional<struct stat>& model) {
  if (!model) return 0;
  const bool same_owner = fchown(file, model->st_uid, model->st_gid) == 0;
  // Another group gets nothing of what was meant for the old one.
  return fchmod(file, same_owner ? model->st_mode & kPermissions : kPrivate) == 0 ? 0 : errno;
}

Result<void> Replace(const std::string& path, const std::optional<struct stat>& before,
                     std::string_view text) {
  const std::string beside = fmt::format("{}.{}.tmp", path, getpid());
  Descriptor file(open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kPrivate));
  if (file.number() < 0) {
    // What is in the way is the temporary file, left by a process of our number that was killed.
    const int number = errno;
    return Failed(number == EEXIST ? beside : path, "cannot be created", number);
  }
  int number = Resemble(file.number(), before);
  if (number == 0) number = WriteAll(file.number(), text);
  // Before the old text is replaced: after a power failure one of the two is there whole.
  if (number == 0 && fsync(file.number()) != 0) number = errno;
  if (number == 0) number = file.Close();
  if (number == 0 && rename(beside.c_str(), path.c_str()) != 0) number = errno;
  if (number == 0) return {};
  unlink(beside.c_str());
  return Failed(path, "cannot be written", number);
}

Result<void> Write(const std::string& path, std::string_view text, bool keeps_mode) {
  const std::optional<struct stat> there = StatusOf(path);
  if (there && (S_ISDIR(there->st_mode) || S_ISSOCK(there->st_mode) || S_ISBLK(there->st_mode))) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: it is {}: name a file", path, FileTypeText(there->st_mode)));
  }
  const bool is_standard_output = there && IsStandardOutput(*there);
  if (is_standard_output || (there && !S_ISREG(there->st_mode)))
    return WriteThrough(path, is_standard_output, text);
  FEDRA_ASSIGN_OR_RETURN(const std::string target, Followed(path));
  return Replace(target, keeps_mode ? there : std::nullopt, text);
}

}  // namespace

std::string_view FileTypeText(unsigned mode) {
  if (S_ISREG(mode)) return "a file";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return S_ISBLK(mode) ? "a block device" : "a character device";
}

Result<void> WriteFile(const std::string& path, std::string_view text) {
  return Write(path, text, true);
}

Result<void> WritePrivateFile(const std::string& path, std::string_view text) {
  return Write(path, text, false);
}

}  // namespace fedra
