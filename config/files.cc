#include "config/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

namespace fedra::config {
namespace {

class Descriptor final {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

std::string Why(int error) {
  switch (error) {
    case ENOENT:
      return "no such file";
    case EACCES:
      return "permission denied";
    case ENOTDIR:
      return "a part of the path is not a folder";
    default:
      return fmt::format("cannot be read (errno {})", error);
  }
}

}  // namespace

tl::expected<std::string, std::string> ReadSmallFile(const std::string& path, size_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return tl::make_unexpected(Why(errno));
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return tl::make_unexpected(Why(errno));
  if (!S_ISREG(info.st_mode)) return tl::make_unexpected("not a regular file");
  std::string content;
  char buffer[64 * 1024];
  while (true) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::make_unexpected(Why(errno));
    if (got == 0) return content;
    content.append(buffer, static_cast<size_t>(got));
    if (content.size() > max_bytes) {
      return tl::make_unexpected(fmt::format("larger than {} KiB", max_bytes / 1024));
    }
  }
}

}  // namespace fedra::config
