#include "manager/report/line.h"

#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace fedra::report::line_test {
namespace {

using store::PlaceRow;

TEST_CASE("a place in line for programs") {
  std::vector<PlaceRow> places = {{"u", ClusterName("east"), 1, 2, true},
                                  {"u", ClusterName("west"), 4, 2, false},
                                  {"u", ClusterName("south"), 5, 2, false}};
  for (PlaceRow& place : places) place.dispatch_order = "Strict";
  places[1].first = "ml/job-big";
  places[2].first = "ml/job-gone";
  store::WorkloadRow big;
  big.job = {"ml", "big"};
  big.priority = 1000;
  const auto find = [&](const std::string& first) {
    return first == "ml/job-big" ? &big : nullptr;
  };
  CHECK(LineJson(places, find).dump() ==
        R"({"order":"Strict","places":[{"worker":"east","place":1},{"worker":"west","place":4,)"
        R"("first":{"namespace":"ml","name":"big","priority":1000}},{"worker":"south","place":5}],)"
        R"("passes":2,"boundReached":false,"keptWorker":"east"})");
  places[0].is_bound_reached = true;
  CHECK(LineJson(places, find)["boundReached"] == true);
}

TEST_CASE("places in the order of the workers") {
  const auto verdict = [](const char* worker) {
    store::VerdictRow row;
    row.cluster = ClusterName(worker);
    return row;
  };
  const std::vector<PlaceRow> places = {{"u", ClusterName("west"), 1},
                                        {"u", ClusterName("away"), 2},
                                        {"u", ClusterName("east"), 3},
                                        {"u", ClusterName("gone"), 3}};
  const std::vector<store::VerdictRow> verdicts = {verdict("east"), verdict("south"),
                                                   verdict("west")};
  std::string order;
  for (const PlaceRow& place : InOrderOf(verdicts, places)) order += place.cluster.value + " ";
  CHECK(order == "east west away gone ");
}

}  // namespace
}  // namespace fedra::report::line_test
