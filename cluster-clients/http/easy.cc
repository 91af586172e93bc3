// Everything about an easy handle that is the same for all requests of one client.

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/assert.h"
#include "cluster-clients/http/endpoint_url.h"
#include "cluster-clients/http/transfer.h"

namespace fedra::http {
namespace {

// Unacknowledged data for this long ends a connection; keep-alive probes start after as long
// without any traffic. A watch on a cut network would otherwise look alive for two hours.
constexpr long kKeepAliveSeconds = 30;
constexpr unsigned kUserTimeoutMillis = 30'000;

// libcurl does not report why a socket could not be opened: a process that has run out of
// descriptors would look like a server that is down.
curl_socket_t OpenSocket(void* of_client, curlsocktype /*purpose*/, curl_sockaddr* address) {
  auto& connection = *static_cast<Connection*>(of_client);
  const int socket = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  connection.socket_error = socket < 0 ? errno : 0;
  if (socket < 0) return CURL_SOCKET_BAD;
  ++connection.open_sockets;
  return socket;
}

int CloseSocket(void* connection, curl_socket_t socket) {
  --static_cast<Connection*>(connection)->open_sockets;
  return ::close(socket);
}

int SetSocketOptions(void* /*unused*/, curl_socket_t socket, curlsocktype /*purpose*/) {
  const unsigned timeout = kUserTimeoutMillis;
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof timeout);
  return CURL_SOCKOPT_OK;
}

curl_blob Blob(const std::string& text) {
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
}

void SetTls(CURL* easy, const Endpoint& endpoint) {
  const long verify = endpoint.insecure_skip_tls_verify ? 0L : 1L;
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, verify);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, verify * 2);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!endpoint.ca_pem.empty()) {
    // Only this CA: the system's bundle would be trusted besides, and costs 1 MB and 20 ms per
    // connection.
    curl_blob ca = Blob(endpoint.ca_pem);
    curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
    curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &ca);
  }
  if (!endpoint.client_certificate_pem.empty()) {
    curl_blob certificate = Blob(endpoint.client_certificate_pem);
    curl_blob key = Blob(endpoint.client_key_pem);
    curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, &certificate);
    curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, &key);
    // Without a password OpenSSL asks for one at the terminal, and the loop stands still.
    curl_easy_setopt(easy, CURLOPT_KEYPASSWD, "");
  }
}

void SetNetwork(CURL* easy, Connection& connection) {
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(connection.endpoint.connect_timeout.count()));
  if (!connection.endpoint.unix_socket.empty())
    curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, connection.endpoint.unix_socket.c_str());
  // An empty proxy also switches off the environment's.
  curl_easy_setopt(easy, CURLOPT_PROXY, CurlProxy(connection.endpoint.proxy_url).c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, kKeepAliveSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, kKeepAliveSeconds / 3);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, &SetSocketOptions);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &OpenSocket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &connection);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, &CloseSocket);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, &connection);
}

}  // namespace

Easy NewEasy(Connection& connection) {
  Easy easy(curl_easy_init());
  FEDRA_ASSERT(easy != nullptr, "there is memory for an easy handle");
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy.get(), CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy.get(), CURLOPT_USERAGENT, "fedra");
  curl_easy_setopt(easy.get(), CURLOPT_HTTP_VERSION,
                   static_cast<long>(connection.endpoint.http2 ? CURL_HTTP_VERSION_2TLS
                                                               : CURL_HTTP_VERSION_1_1));
  SetTls(easy.get(), connection.endpoint);
  SetNetwork(easy.get(), connection);
  return easy;
}

}  // namespace fedra::http
