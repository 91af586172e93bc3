#include "cluster-clients/http/library.h"

#include <curl/curl.h>

namespace fedra::http {

std::string LibraryVersion() { return curl_version(); }

}  // namespace fedra::http
