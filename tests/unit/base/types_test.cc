#include "base/types.h"

#include <type_traits>
#include <unordered_set>

#include "base/hash.h"
#include "tests/support/catch.h"

namespace fedra::types_test {
namespace {

static_assert(!std::is_convertible_v<std::string, ClusterName>);
static_assert(!std::is_convertible_v<ClusterName, ResourceVersion>);

TEST_CASE("names compare and hash by their text") {
  CHECK(ClusterName("a") == ClusterName("a"));
  CHECK(ClusterName("a") < ClusterName("b"));
  CHECK(ClusterName().empty());
  const std::unordered_set<ClusterName> names = {ClusterName("a"), ClusterName("a"),
                                                 ClusterName("b")};
  CHECK(names.size() == 2);
}

TEST_CASE("an object key is namespace and name") {
  CHECK(ObjectKey{"ml", "train"}.ToString() == "ml/train");
  CHECK(ObjectKey{"", "gpu"}.ToString() == "gpu");
  CHECK(ObjectKey{"a", "z"} < ObjectKey{"b", "a"});
  const std::unordered_set<ObjectKey> keys = {{"a", "b"}, {"b", "a"}, {"a", "b"}};
  CHECK(keys.size() == 2);
}

// The published FNV-1a test vectors: stored hashes must mean the same after an upgrade.
TEST_CASE("content hashes are FNV-1a") {
  CHECK(Hash64("") == 0xcbf29ce484222325ULL);
  CHECK(Hash64("a") == 0xaf63dc4c8601ec8cULL);
  CHECK(Hash64("foobar") == 0x85944171f73967e8ULL);
  CHECK(HashHex("foobar") == "85944171f73967e8");
  CHECK(Hash64("bar", Hash64("foo")) == Hash64("foobar"));
  static_assert(Hash64("x") != Hash64("y"));
}

}  // namespace
}  // namespace fedra::types_test
