#include "manager/http/socket_name.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>

namespace fedra::httpd {
namespace {

// AF_UNSPEC: there is none.
sockaddr_storage OtherEnd(int socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0)
    name.ss_family = AF_UNSPEC;
  return name;
}

std::string TextOf(const sockaddr_storage& name) {
  char text[INET6_ADDRSTRLEN] = {};
  if (name.ss_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(name).sin_addr, text, sizeof text);
  if (name.ss_family == AF_INET6)
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(name).sin6_addr, text, sizeof text);
  return text;
}

std::string UserAt(int socket) {
  ucred user{};
  socklen_t size = sizeof user;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &user, &size) != 0) return {};
  return "uid " + std::to_string(user.uid);
}

}  // namespace

int PortOf(int socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) return 0;
  const auto port = name.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(name).sin6_port
                                               : reinterpret_cast<sockaddr_in&>(name).sin_port;
  return ntohs(port);
}

std::string PeerOf(int socket) {
  const sockaddr_storage name = OtherEnd(socket);
  return name.ss_family == AF_UNIX ? UserAt(socket) : NetworkOf(name);
}

std::string NetworkOf(sockaddr_storage address) {
  if (address.ss_family == AF_INET6) {
    in6_addr& ip = reinterpret_cast<sockaddr_in6&>(address).sin6_addr;
    if (!IN6_IS_ADDR_V4MAPPED(&ip)) std::fill_n(ip.s6_addr + 8, 8, uint8_t{0});
  }
  return TextOf(address);
}

}  // namespace fedra::httpd
