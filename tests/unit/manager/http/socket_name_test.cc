// What the other end of a socket is called.

#include "manager/http/socket_name.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "tests/support/catch.h"

namespace fedra::httpd::socket_name_test {

namespace {

std::string NetworkAt(int family, const std::string& address) {
  sockaddr_storage name{};
  name.ss_family = static_cast<sa_family_t>(family);
  void* const ip = family == AF_INET
                       ? static_cast<void*>(&reinterpret_cast<sockaddr_in&>(name).sin_addr)
                       : static_cast<void*>(&reinterpret_cast<sockaddr_in6&>(name).sin6_addr);
  REQUIRE(inet_pton(family, address.c_str(), ip) == 1);
  return NetworkOf(name);
}

}  // namespace

TEST_CASE("a network is an IPv4 address, or the first half of an IPv6 address") {
  CHECK(NetworkAt(AF_INET, "10.0.0.7") == "10.0.0.7");
  CHECK(NetworkAt(AF_INET6, "2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::");
  CHECK(NetworkAt(AF_INET6, "2001:db8:1:2:ffff:ffff:ffff:ffff") == "2001:db8:1:2::");
  CHECK(NetworkAt(AF_INET6, "::1") == "::");
  // An IPv4 client of a socket for both.
  CHECK(NetworkAt(AF_INET6, "::ffff:10.0.0.7") == "::ffff:10.0.0.7");
  CHECK(NetworkOf(sockaddr_storage{}).empty());
}

TEST_CASE("over a Unix socket it is the user who connects") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  CHECK(PeerOf(ends[0]) == "uid " + std::to_string(::getuid()));
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace fedra::httpd::socket_name_test
