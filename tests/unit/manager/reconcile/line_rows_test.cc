// When the places in line are written.

#include "manager/reconcile/line_rows.h"

#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/support/connected.h"

using namespace fedra;
using namespace fedra::reconcile;
using namespace std::chrono_literals;

TEST_CASE("the lines are asked for once a second, however often the daemon ticks") {
  const TempFolder folder;
  HandClock clock;
  ConnectedOptions alone;
  alone.workers = {};
  Connected fleet(alone, clock);
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  LineRows rows(*store, clock);
  int asked = 0;
  const auto tick = [&] {
    rows.Record(
        [&] {
          ++asked;
          return std::vector<placement::Standing>();
        },
        fleet.manager());
    clock.Advance(250ms);
  };
  for (int i = 0; i < 4; ++i) tick();
  CHECK(asked == 1);
  tick();
  CHECK(asked == 2);
}
