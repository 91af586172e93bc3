// When the places in line are written, and who is first in a line.

#include "manager/reconcile/line_rows.h"

#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::reconcile::line_rows_test {

using namespace std::chrono_literals;

namespace {

const ClusterName kEast("east"), kWest("west");

placement::Standing At(const char* name, std::map<ClusterName, int> places) {
  placement::Standing standing;
  standing.rank.workload = {"ml", name};
  standing.places = std::move(places);
  return standing;
}

// A manager with one workload that waits, and the rows of its lines.
class OneWaits {
 public:
  OneWaits() : fleet_(WithoutWorkers(), clock_) {
    AddWaitingWorkload(fleet_.manager_server(), {"ml", "job-behind"});
    fleet_.Start();
  }

  static ConnectedOptions WithoutWorkers() {
    ConnectedOptions options;
    options.workers = {};
    return options;
  }
  // What the store has when a second has passed.
  std::vector<store::PlaceRow> Record(const std::vector<placement::Standing>& standings) {
    rows_.Record([&] { return standings; }, fleet_.manager().jobs(), fleet_.manager().queues());
    clock_.Advance(1s);
    REQUIRE(store_->Flush());
    return store_->Read().value()->Places({}).value();
  }
  void Pass(std::chrono::seconds time) { clock_.Advance(time); }

 private:
  const TempFolder folder_;
  HandClock clock_;
  Connected fleet_;
  std::unique_ptr<store::Store> store_ =
      store::Store::Open({.path = folder_.Path("fedra.db")}).value();
  LineRows rows_{*store_, clock_, placement::OrderPolicy::kBackfill};
};

}  // namespace

TEST_CASE("the lines are asked for once a second, however often the daemon ticks") {
  const TempFolder folder;
  HandClock clock;
  Connected fleet(OneWaits::WithoutWorkers(), clock);
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  LineRows rows(*store, clock, placement::OrderPolicy::kBackfill);
  int asked = 0;
  const auto tick = [&] {
    rows.Record(
        [&] {
          ++asked;
          return std::vector<placement::Standing>();
        },
        fleet.manager().jobs(), fleet.manager().queues());
    clock.Advance(250ms);
  };
  for (int i = 0; i < 4; ++i) tick();
  CHECK(asked == 1);
  tick();
  CHECK(asked == 2);
}

TEST_CASE("who holds a workload back is told before who is first in the line") {
  OneWaits line;
  placement::Standing standing = At("job-behind", {{kEast, 3}});
  standing.is_bound_reached = true;
  const auto first_told = [&] {
    const auto places = line.Record({At("a", {{kEast, 1}}), At("b", {{kEast, 2}}), standing});
    REQUIRE(places.size() == 1);
    CHECK(places[0].is_bound_reached);
    return places[0].first;
  };
  CHECK(first_told() == "ml/a");
  standing.behind[kEast] = {"ml", "b"};
  CHECK(first_told() == "ml/b");
}

TEST_CASE("far back in a line a place that moves is written from time to time") {
  OneWaits line;
  placement::Standing standing = At("job-behind", {});
  const auto written = [&](std::map<ClusterName, int> places) {
    standing.places = std::move(places);
    std::map<ClusterName, int> found;
    for (const store::PlaceRow& row : line.Record({standing})) found[row.cluster] = row.place;
    return found;
  };
  using Places = std::map<ClusterName, int>;
  CHECK(written({{kEast, 500}}) == Places{{kEast, 500}});
  CHECK(written({{kEast, 499}}) == Places{{kEast, 500}});
  // News are told at once: another line, what it was passed, that it has come near.
  CHECK(written({{kEast, 498}, {kWest, 7}}) == Places{{kEast, 498}, {kWest, 7}});
  CHECK(written({{kEast, 497}, {kWest, 6}}) == Places{{kEast, 497}, {kWest, 6}});
  CHECK(written({{kEast, 496}}) == Places{{kEast, 496}});
  standing.passes = 1;
  CHECK(written({{kEast, 495}}) == Places{{kEast, 495}});
  CHECK(written({{kEast, 494}}) == Places{{kEast, 495}});
  CHECK(written({{kEast, LineRows::kNear}}) == Places{{kEast, LineRows::kNear}});
  CHECK(written({{kEast, 400}}) == Places{{kEast, 400}});
  CHECK(written({{kEast, 399}}) == Places{{kEast, 400}});
  line.Pass(LineRows::kFarInterval);
  CHECK(written({{kEast, 398}}) == Places{{kEast, 398}});
  CHECK(written({}).empty());
}

TEST_CASE("the first in each line is told, where it is certain which line that is") {
  const auto first = FirstInLine({
      At("a", {{kEast, 1}}),
      At("b", {{kEast, 2}, {kWest, 1}}),
      At("nowhere", {}),
      At("c", {{kEast, 3}, {kWest, 2}}),
      At("other-model", {{kEast, 1}}),
      At("d", {{kEast, 4}}),
      At("any-model", {{kEast, 6}}),
  });
  using Firsts = std::map<ClusterName, ObjectKey>;
  REQUIRE(first.size() == 7);
  CHECK(first[0].empty());
  CHECK(first[1] == Firsts{{kEast, {"ml", "a"}}});
  CHECK(first[2].empty());
  CHECK(first[3] == Firsts{{kEast, {"ml", "a"}}, {kWest, {"ml", "b"}}});
  CHECK(first[4].empty());
  CHECK(first[5].empty());  // of those ahead one is in another line
  CHECK(first[6] == Firsts{{kEast, {"ml", "a"}}});
}

TEST_CASE("an order is called as the annotation writes it") {
  for (const char* const name : {"Strict", "Backfill", "BestEffort"})
    CHECK(placement::ToString(placement::ParseOrderPolicy(name).value()) == name);
}

}  // namespace fedra::reconcile::line_rows_test
