#pragma once
//
// A kubeconfig's server URL, taken apart into the options libcurl needs. Internal to http/.

#include <string>

#include "base/result.h"
#include "cluster-clients/http/message.h"

namespace fedra::http {

struct EndpointUrl {
  std::string
      base;  // requests append their path; has the TLS name in place of the host, if one is set
  std::string
      connect_to;    // CURLOPT_CONNECT_TO entry that leads to the real host; empty: not needed
  std::string host;  // Host header when it differs from the one in `base`; empty otherwise
};

// kInvalidArgument when the URL is not http(s)://host[:port][/prefix].
Result<EndpointUrl> ParseEndpointUrl(const std::string& url, const std::string& tls_server_name);

// A kubeconfig's proxy-url, converted for libcurl so that the proxy resolves host names, as with
// kubectl. HTTP proxies do that anyway; "socks5" would make libcurl resolve them here.
std::string CurlProxy(const std::string& proxy_url);

}  // namespace fedra::http
