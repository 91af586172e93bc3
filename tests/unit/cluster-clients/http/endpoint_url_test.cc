#include "cluster-clients/http/endpoint_url.h"

#include "tests/support/catch.h"

namespace fedra::http::endpoint_url_test {
namespace {

TEST_CASE("a SOCKS proxy resolves the names itself") {
  CHECK(CurlProxy("socks5://proxy:1080") == "socks5h://proxy:1080");
  CHECK(CurlProxy("SOCKS5://me:secret@proxy") == "socks5h://me:secret@proxy");
  CHECK(CurlProxy("socks5h://proxy") == "socks5h://proxy");
  CHECK(CurlProxy("http://proxy:3128") == "http://proxy:3128");
  CHECK(CurlProxy("https://proxy") == "https://proxy");
  CHECK(CurlProxy("").empty());
}

}  // namespace
}  // namespace fedra::http::endpoint_url_test
