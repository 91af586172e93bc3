#pragma once
//
// libcurl's result codes as our errors. Internal to http/.

#include <string>

#include <curl/curl.h>

#include "base/error.h"

namespace fedra::http {

// `detail` is libcurl's error text (host and port, never credentials); `os_error` the errno of the
// failed connect, or 0.
Error TransportError(CURLcode code, const std::string& detail, long os_error);

}  // namespace fedra::http
