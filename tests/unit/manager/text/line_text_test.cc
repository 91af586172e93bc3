#include "manager/text/line_text.h"

#include <vector>

#include "tests/support/catch.h"

namespace fedra::text::line_text_test {
namespace {

using store::PlaceRow;

PlaceRow On(const char* worker, int place, int passes = 0, bool is_kept = false) {
  return {"u", ClusterName(worker), place, passes, is_kept};
}

TEST_CASE("a place in line in words") {
  CHECK(LineText({}).empty());
  const auto text = [](const std::vector<PlaceRow>& places) { return LineText(places); };
  CHECK(text({On("east", 1)}) == "1st in line on east");
  CHECK(text({On("east", 2), On("west", 2), On("south", 13, 0)}) ==
        "2nd in line on east, west, 13th on south");
  CHECK(text({On("east", 3), On("west", 2), On("south", 3)}) ==
        "3rd in line on east, south, 2nd on west");
  CHECK(text({On("a", 3, 2), On("b", 3, 2), On("c", 3, 2), On("d", 3, 2)}) ==
        "3rd in line on a, b, c and 1 more; passed twice by other jobs");
  CHECK(text({On("east", 1, 1, true)}) ==
        "1st in line on east; passed once by another job; devices of east are kept for it as they "
        "become free");
  const std::vector<PlaceRow> places = {On("east", 3), On("west", 4)};
  CHECK(LineText(places, {"gpu.example.com", "nic.example.com"}) ==
        "3rd in line for gpu.example.com, nic.example.com on east, 4th on west");
  CHECK(text({On("east", 111, 7)}) == "111th in line on east; passed 7 times by other jobs");
}

TEST_CASE("the places in line for a table") {
  CHECK(PlacesText({}) == "-");
  const std::vector<PlaceRow> places = {On("west", 1), On("east", 4), On("south", 4)};
  CHECK(PlacesText(places) == "1st on west, 4th on east, south");
}

}  // namespace
}  // namespace fedra::text::line_text_test
