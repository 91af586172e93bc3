#include "manager/http/unix_socket.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace fedra::httpd {
namespace {

constexpr mode_t kMode = 0660;
// The first descriptor that systemd hands over.
constexpr int kFirstReceived = 3;

std::string SystemMessage() { return std::strerror(errno); }

Result<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is too long for a socket: {} bytes, at most {}", path, path.size(),
                            sizeof address.sun_path - 1));
  }
  path.copy(static_cast<char*>(address.sun_path), path.size());
  return address;
}

int NewSocket() { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

bool Connects(const sockaddr_un& address) {
  const int probe = NewSocket();
  if (probe < 0) return false;
  const bool connected =
      ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
      errno == EAGAIN;  // its queue is full
  ::close(probe);
  return connected;
}

// Removes what a process left there that has ended.
Result<void> MakeWay(const sockaddr_un& address, const std::string& path) {
  struct stat there{};
  if (::lstat(path.c_str(), &there) != 0) return {};
  if (!S_ISSOCK(there.st_mode))
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{} is there and is no socket", path));
  if (Connects(address))
    return Fail(ErrorCode::kConnection, fmt::format("another process listens on {}", path));
  if (::unlink(path.c_str()) != 0) {
    return Fail(ErrorCode::kConnection,
                fmt::format("cannot replace {}: {}", path, SystemMessage()));
  }
  return {};
}

std::optional<gid_t> GroupId(const std::string& name) {
  group entry{};
  group* found = nullptr;
  std::array<char, 16384> buffer{};
  if (::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr)
    return std::nullopt;
  return entry.gr_gid;
}

long NumberIn(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return 0;
  const std::string_view text(value);
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

}  // namespace

UnixSocket::UnixSocket(std::string path, int socket) : path_(std::move(path)), socket_(socket) {}

UnixSocket::UnixSocket(UnixSocket&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      socket_(std::exchange(other.socket_, -1)),
      warning_(std::move(other.warning_)) {}

UnixSocket::~UnixSocket() {
  if (socket_ >= 0) ::close(socket_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

int UnixSocket::Release() { return std::exchange(socket_, -1); }

Result<UnixSocket> UnixSocket::Make(const UnixSocketSettings& settings) {
  FEDRA_ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(settings.path));
  FEDRA_RETURN_IF_ERROR(MakeWay(address, settings.path));
  const auto refused = [&] {
    return Fail(ErrorCode::kConnection,
                fmt::format("cannot listen on {}: {}", settings.path, SystemMessage()));
  };
  const int socket = NewSocket();
  if (socket < 0) return refused();
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const auto failure = refused();
    ::close(socket);
    return failure;
  }
  UnixSocket made(settings.path, socket);
  // No client can connect before it listens, so the umask of the moment of bind() opened no door.
  made.GiveToGroup(settings.group);
  if (::chmod(settings.path.c_str(), kMode) != 0 || ::listen(socket, SOMAXCONN) != 0)
    return refused();
  return made;
}

void UnixSocket::GiveToGroup(const std::string& group) {
  if (group.empty()) return;
  const std::optional<gid_t> id = GroupId(group);
  if (!id) {
    warning_ = fmt::format("there is no group {}", group);
  } else if (::chown(path_.c_str(), static_cast<uid_t>(-1), *id) != 0) {
    warning_ = fmt::format("cannot give it to group {}: {}", group, SystemMessage());
  }
}

std::optional<int> ReceivedSocket() {
  const bool is_ours = NumberIn("LISTEN_PID") == getpid() && NumberIn("LISTEN_FDS") > 0;
  for (const char* const variable : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"})
    ::unsetenv(variable);
  int listens = 0;
  socklen_t size = sizeof listens;
  if (!is_ours || ::getsockopt(kFirstReceived, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 ||
      listens == 0)
    return std::nullopt;
  ::fcntl(kFirstReceived, F_SETFD, FD_CLOEXEC);
  return kFirstReceived;
}

}  // namespace fedra::httpd
