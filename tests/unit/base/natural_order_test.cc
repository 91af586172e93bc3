#include "base/natural_order.h"

#include <algorithm>
#include <vector>

#include "tests/support/catch.h"

namespace fedra::natural_order_test {

TEST_CASE("names compare as people count") {
  const std::vector<std::string> in_order = {
      "",      "-",       "1",        "2",      "9a",     "10",   "eq",  "eq-6",
      "eq-10", "eq-10-2", "eq-10-11", "eq-10a", "eq-100", "eq-a", "eq6", "er-1"};
  std::vector<std::string> keys;
  for (const std::string& name : in_order) keys.push_back(InNaturalOrder(name));
  CHECK(std::ranges::is_sorted(keys));
  CHECK(std::ranges::adjacent_find(keys) == keys.end());
  CHECK(InNaturalOrder("eq-006") == InNaturalOrder("eq-6"));
  CHECK(InNaturalOrder("eq-0") == InNaturalOrder("eq-000"));
  // Of more than nine digits only the digits count.
  CHECK(InNaturalOrder("9999999999") > InNaturalOrder("10000000000"));
}

}  // namespace fedra::natural_order_test
