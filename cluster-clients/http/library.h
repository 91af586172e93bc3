#pragma once
//
// Which libcurl this process runs with, for `fedra version`.

#include <string>

namespace fedra::http {

// "libcurl/7.88.1 OpenSSL/3.0.22 nghttp2/1.52.0 ..."
std::string LibraryVersion();

}  // namespace fedra::http
