#pragma once
//
// What a socket's two ends are called. Pure, but for asking the system.
//
// Source: getsockname(2), getpeername(2), unix(7) for SO_PEERCRED.

#include <string>

struct sockaddr_storage;

namespace fedra::httpd {

// The port that it is bound to; 0: none, or it is not TCP.
int PortOf(int socket);

// Who is at the other end, as shares are counted: the network of the address; of a Unix socket the
// user, "uid 1000". Empty: not known.
std::string PeerOf(int socket);

// "10.0.0.7" without the port; of IPv6 the /64, "2001:db8::": a host has as many addresses in it as
// it likes. Empty: it is no address of these.
std::string NetworkOf(sockaddr_storage address);

}  // namespace fedra::httpd
