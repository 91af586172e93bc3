#pragma once
//
// A kubeconfig's server URL, taken apart into what libcurl has to be told. Internal to http/.

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

// A kubeconfig's proxy-url as libcurl has to be told: who resolves names is the proxy, as with
// kubectl. For HTTP proxies that is so anyway; libcurl means by socks5 that we do.
std::string CurlProxy(const std::string& proxy_url);

}  // namespace fedra::http
