// Where copies of workloads are, or may be.

#include "manager/reconcile/copy_places.h"

#include "tests/support/catch.h"

namespace fedra::reconcile::copy_places_test {

using Names = std::set<ClusterName>;

TEST_CASE("a worker that was told of is asked, until a look finds nothing there") {
  const ObjectKey train{"ml", "train"};
  const ClusterName east("east");
  const ClusterName west("west");
  CopyPlaces places;
  CHECK(places.Take(train).empty());
  places.Add(train, east);
  places.Add(train, east);
  places.Add(train, west);
  CHECK(places.Take({"ml", "other"}).empty());
  CHECK(places.Take(train) == Names{east, west});
  places.Add(train, west);  // while the look goes on
  places.Put(train, {east});
  CHECK(places.Take(train) == Names{east, west});
  places.Put(train, {});
  CHECK(places.Take(train).empty());
}

}  // namespace fedra::reconcile::copy_places_test
