// Which version is newer.

#include "cluster-clients/kube/resource_version.h"

#include "tests/support/catch.h"

namespace fedra::kube::resource_version_test {
namespace {

TEST_CASE("resourceVersions are compared as numbers; what is none counts as newer") {
  struct Row {
    std::string a;
    std::string b;
    bool not_older;
  };
  const auto row = GENERATE(values<Row>({{"10", "9", true},
                                         {"9", "10", false},
                                         {"10", "10", true},
                                         {"18446744073709551615", "1", true},
                                         {"x", "10", true},
                                         {"9", "x", true},
                                         {"9x", "10", true},
                                         {"", "10", true},
                                         {"-1", "10", true}}));
  INFO(row.a << " and " << row.b);
  CHECK(IsNotOlder(ResourceVersion(row.a), ResourceVersion(row.b)) == row.not_older);
}

}  // namespace
}  // namespace fedra::kube::resource_version_test
