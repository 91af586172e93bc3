#pragma once
//
// What is behind the io loop, for the few .cc files that bring sockets of their own to it.
// Including this pulls in Boost.Asio; never include it from a header that others use.

#include <boost/asio/io_context.hpp>

#include "cluster-clients/http/connect_limiter.h"
#include "cluster-clients/http/loop.h"

namespace fedra::http {

// The context that the loop's thread runs. Handlers follow the rules of HttpLoop.
boost::asio::io_context& Context(HttpLoop& loop);

// Shared by all clients of the loop; io loop thread only.
ConnectLimiter& Limiter(HttpLoop& loop);

}  // namespace fedra::http
