#include "cluster-clients/http/connect_limiter.h"

#include <vector>

#include "tests/support/catch.h"

namespace fedra::http::connect_limiter_test {
namespace {

TEST_CASE("only so many enter, and each that leaves lets in the one that waits longest") {
  ConnectLimiter limiter(2);
  std::vector<int> inside;
  for (int i = 0; i < 4; ++i) limiter.Enter([&inside, i] { inside.push_back(i); });
  CHECK(inside == std::vector<int>{0, 1});
  limiter.Leave();
  CHECK(inside == std::vector<int>{0, 1, 2});
  limiter.Leave();
  limiter.Leave();
  limiter.Leave();
  CHECK(inside == std::vector<int>{0, 1, 2, 3});
  limiter.Enter([&inside] { inside.push_back(4); });
  CHECK(inside.back() == 4);
}

TEST_CASE("one that leaves at once does not keep the place") {
  ConnectLimiter limiter(1);
  int entered = 0;
  for (int i = 0; i < 3; ++i) {
    limiter.Enter([&] {
      ++entered;
      limiter.Leave();
    });
  }
  CHECK(entered == 3);
}

}  // namespace
}  // namespace fedra::http::connect_limiter_test
