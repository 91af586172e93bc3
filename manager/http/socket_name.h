#pragma once
//
// What a socket's two ends are called. Pure, but for asking the system.
//
// Source: getsockname(2), getpeername(2).

#include <string>

namespace fedra::httpd {

// The port that it is bound to; 0: none, or it is not TCP.
int PortOf(int socket);

// "10.0.0.7" of the other end, without the port; empty: not over TCP.
std::string ClientOf(int socket);

}  // namespace fedra::httpd
