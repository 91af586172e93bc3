#pragma once
//
// A socket that listens, for listener.cc alone: including this pulls in Asio.

#include <string>

#include <boost/asio/basic_socket_acceptor.hpp>

#include "base/result.h"
#include "manager/http/beast_connection.h"

namespace fedra::httpd {

using Acceptor = boost::asio::basic_socket_acceptor<Protocol>;

// Has it listen on "127.0.0.1:9480"; port 0 lets the system choose. The port. `key`: of the
// configuration, for the message. kInvalidArgument, or kConnection when the address is taken.
Result<int> OpenFor(Acceptor& acceptor, const std::string& address, const std::string& key);

}  // namespace fedra::httpd
