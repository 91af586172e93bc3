#pragma once
//
// Unix sockets that listen: made here, or by systemd before the daemon began.
//
// Source: unix(7); sd_listen_fds(3) of systemd 252 for $LISTEN_PID and $LISTEN_FDS.
// Thread rules: ReceivedSocket from the main thread before others exist (it changes the
// environment); the rest from any thread.

#include <optional>
#include <string>

#include "base/result.h"

namespace fedra::httpd {

struct UnixSocketSettings {
  std::string path;
  // Its members may connect, too; empty, or a group that does not exist: only this user may.
  std::string group;
};

// A socket in the file system, made and removed with this object.
class UnixSocket final {
 public:
  // A socket that no process listens on any more is replaced. kInvalidArgument: the path is too
  // long, or what is there is no socket; kConnection: another process listens on it, or the system
  // refuses.
  static Result<UnixSocket> Make(const UnixSocketSettings& settings);
  UnixSocket(UnixSocket&& other) noexcept;
  UnixSocket& operator=(UnixSocket&&) = delete;
  ~UnixSocket();

  // The descriptor, once; the caller closes it.
  int Release();
  // Why members of the group may not connect; empty: they may.
  const std::string& warning() const { return warning_; }

 private:
  UnixSocket(std::string path, int socket);
  void GiveToGroup(const std::string& group);

  std::string path_;  // empty: moved from
  int socket_;        // -1: taken
  std::string warning_;
};

// The listening socket that systemd made for this process (a .socket unit); nothing: there is none.
// Children will not see it.
std::optional<int> ReceivedSocket();

}  // namespace fedra::httpd
