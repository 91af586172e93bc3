#include "cluster-clients/http/endpoint_url.h"

#include <strings.h>

#include <memory>
#include <string_view>

#include <curl/curl.h>
#include <fmt/format.h>

namespace fedra::http {
namespace {

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, UrlDeleter>;

std::string Part(const Url& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK || text == nullptr) return {};
  std::string copy(text);
  curl_free(text);
  return copy;
}

// The URL itself is not repeated: it may contain a password.
auto Bad(const char* why) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("the server's URL is not usable: {}", why));
}

}  // namespace

Result<EndpointUrl> ParseEndpointUrl(const std::string& text, const std::string& tls_server_name) {
  const Url url(curl_url());
  if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    return Bad("it is not https://host[:port][/prefix]");
  }
  const std::string scheme = Part(url, CURLUPART_SCHEME);
  if (scheme != "https" && scheme != "http") return Bad("the scheme is neither https nor http");
  if (!Part(url, CURLUPART_USER).empty() || !Part(url, CURLUPART_PASSWORD).empty()) {
    return Bad("it contains a user name or a password");
  }
  if (!Part(url, CURLUPART_QUERY).empty() || !Part(url, CURLUPART_FRAGMENT).empty()) {
    return Bad("it contains a query or a fragment");
  }
  const std::string host = Part(url, CURLUPART_HOST);
  const std::string port = Part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  std::string prefix = Part(url, CURLUPART_PATH);
  while (prefix.ends_with('/')) prefix.pop_back();
  const bool renamed = !tls_server_name.empty() && tls_server_name != host;
  EndpointUrl result;
  result.base = fmt::format("{}://{}:{}{}", scheme, renamed ? tls_server_name : host, port, prefix);
  if (renamed) {
    result.connect_to = fmt::format("{}:{}:{}:{}", tls_server_name, port, host, port);
    result.host = fmt::format("{}:{}", host, port);
  }
  return result;
}

std::string CurlProxy(const std::string& proxy_url) {
  constexpr std::string_view kSocks = "socks5://";
  const bool socks = ::strncasecmp(proxy_url.c_str(), kSocks.data(), kSocks.size()) == 0;
  return socks ? "socks5h://" + proxy_url.substr(kSocks.size()) : proxy_url;
}

}  // namespace fedra::http
