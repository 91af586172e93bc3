#pragma once
//
// What a socket's two ends are called. Pure, but for asking the system.
//
// Source: getsockname(2), getpeername(2), unix(7) for SO_PEERCRED.

#include <string>

namespace fedra::httpd {

// The port that it is bound to; 0: none, or it is not TCP.
int PortOf(int socket);

// "10.0.0.7" of the other end, without the port; empty: not over TCP.
std::string ClientOf(int socket);

// Who is at the other end, as shares are counted: the address, of IPv6 the /64 (a host has as many
// addresses in it as it likes); of a Unix socket the user, "uid 1000". Empty: not known.
std::string PeerOf(int socket);

}  // namespace fedra::httpd
