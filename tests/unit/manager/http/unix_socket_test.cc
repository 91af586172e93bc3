// Sockets in the file system: rights, and what was left behind.

#include "manager/http/unix_socket.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/http/raw_client.h"

namespace fedra::unix_socket_test {

using httpd::UnixSocket;

namespace {

struct stat StatOf(const std::string& path) {
  struct stat found{};
  REQUIRE(::lstat(path.c_str(), &found) == 0);
  return found;
}

std::string OwnGroup() {
  const group* const found = ::getgrgid(::getegid());
  REQUIRE(found != nullptr);
  return found->gr_name;
}

TEST_CASE("the socket is for its user and the group, whatever the umask") {
  const TempFolder folder;
  const std::string path = folder.Path("s");
  const mode_t before = ::umask(0);
  {
    const auto socket = UnixSocket::Make({path, OwnGroup()});
    REQUIRE(socket);
    CHECK(socket->warning().empty());
    CHECK((StatOf(path).st_mode & 07777) == 0660);
    CHECK(StatOf(path).st_gid == ::getegid());
    CHECK_NOTHROW(httpd::RawClient(path));
  }
  ::umask(before);
  CHECK(::access(path.c_str(), F_OK) != 0);
}

TEST_CASE("a group that does not exist is said, and nothing else happens") {
  const TempFolder folder;
  const auto socket = UnixSocket::Make({folder.Path("s"), "no-such-group"});
  REQUIRE(socket);
  CHECK(socket->warning() == "there is no group no-such-group");
}

TEST_CASE("what a killed process left is replaced, what somebody uses is not") {
  const TempFolder folder;
  const std::string path = folder.Path("s");
  auto first = UnixSocket::Make({path, ""});
  REQUIRE(first);
  const auto second = UnixSocket::Make({path, ""});
  REQUIRE(!second);
  CHECK(second.error().code == ErrorCode::kConnection);
  CHECK_THAT(second.error().message, ContainsSubstring("another process listens on"));
  ::close(first->Release());  // as kill -9 does
  CHECK(UnixSocket::Make({path, ""}));
}

TEST_CASE("other files are left alone, and long paths are refused") {
  const TempFolder folder;
  const std::string file = folder.Write("file", "precious");
  const auto socket = UnixSocket::Make({file, ""});
  REQUIRE(!socket);
  CHECK(socket.error().code == ErrorCode::kInvalidArgument);
  CHECK(::access(file.c_str(), F_OK) == 0);
  const auto too_long = UnixSocket::Make({folder.Path(std::string(108, 'x')), ""});
  REQUIRE(!too_long);
  CHECK_THAT(too_long.error().message, ContainsSubstring("too long for a socket"));
}

TEST_CASE("what systemd hands over is taken by the process that it is for") {
  const auto offer = [](const std::string& pid, const std::string& count) {
    ::setenv("LISTEN_PID", pid.c_str(), 1);
    ::setenv("LISTEN_FDS", count.c_str(), 1);
    return httpd::ReceivedSocket();
  };
  // Descriptor 3 is none that listens, or is another test's: it must be proven first.
  CHECK(!offer("1", "1"));
  CHECK(!offer(std::to_string(::getpid()), "0"));
  CHECK(!offer("x", "1"));
  CHECK(std::getenv("LISTEN_FDS") == nullptr);
}

}  // namespace

}  // namespace fedra::unix_socket_test
