// How long a failure on a worker counts.

#include "manager/placement/setback.h"

#include "tests/support/catch.h"

namespace fedra::placement::setback_test {

using namespace std::chrono_literals;

TEST_CASE("a failure is forgotten when somebody has asked since to try again") {
  struct Row {
    WallTime failed_at;
    std::optional<WallTime> retry_at;
    bool is_forgotten;
  };
  const WallTime now{12h};
  const std::vector<Row> rows = {
      {now - 1s, std::nullopt, false},
      {now - 2s, now - 1s, true},
      {now - 1s, now, true},
      // It failed after that.
      {now - 1s, now - 2s, false},
      {now - 1s, now - 1s, false},
      // By a clock that is ahead: what fails until then must not be forgotten at once.
      {now - 1s, now + 1s, false},
      {now - 24h, now + 1h, false},
  };
  for (const Row& row : rows)
    CHECK(IsForgotten(row.failed_at, row.retry_at, now) == row.is_forgotten);
}

}  // namespace fedra::placement::setback_test
