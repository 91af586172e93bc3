#include "manager/http/acceptor.h"

#include <fmt/format.h>
#include <boost/asio/ip/tcp.hpp>

#include "manager/http/beast_message.h"
#include "manager/http/socket_name.h"

namespace fedra::httpd {

using boost::asio::ip::tcp;

Result<int> OpenFor(Acceptor& acceptor, const std::string& address, const std::string& key) {
  FEDRA_ASSIGN_OR_RETURN(const tcp::endpoint endpoint, ParseAddress(address, key));
  boost::system::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(Acceptor::max_listen_connections, error);
  if (error) {
    // So that it can be tried again.
    boost::system::error_code ignored;
    acceptor.close(ignored);
    return Fail(ErrorCode::kConnection,
                fmt::format("cannot listen on {} ({}); set {} to a free one", address,
                            error.message(), key));
  }
  return PortOf(acceptor.native_handle());
}

}  // namespace fedra::httpd
