#include "manager/http/socket_name.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace fedra::httpd {

int PortOf(int socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) return 0;
  const auto port = name.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(name).sin6_port
                                               : reinterpret_cast<sockaddr_in&>(name).sin_port;
  return ntohs(port);
}

std::string ClientOf(int socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  char text[INET6_ADDRSTRLEN] = {};
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) return {};
  if (name.ss_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in&>(name).sin_addr, text, sizeof text);
  if (name.ss_family == AF_INET6)
    inet_ntop(AF_INET6, &reinterpret_cast<sockaddr_in6&>(name).sin6_addr, text, sizeof text);
  return text;
}

}  // namespace fedra::httpd
