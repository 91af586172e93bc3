#include "cluster-clients/kube/resource.h"
#include "cluster-clients/kube/url.h"
#include "tests/support/catch.h"

namespace fedra::kube::paths_test {
namespace {

const Resource kPods{"", "v1", "pods", "Pod", true};
const Resource kTemplates{"resource.k8s.io", "v1", "resourceclaimtemplates",
                          "ResourceClaimTemplate", true};
const Resource kClasses{"resource.k8s.io", "v1", "deviceclasses", "DeviceClass", false};

TEST_CASE("the paths of the API conventions") {
  CHECK(kPods.ApiVersion() == "v1");
  CHECK(kTemplates.ApiVersion() == "resource.k8s.io/v1");
  CHECK(kPods.CollectionPath("") == "/api/v1/pods");
  CHECK(kPods.CollectionPath("ml") == "/api/v1/namespaces/ml/pods");
  CHECK(kTemplates.ObjectPath({"ml", "one-gpu"}) ==
        "/apis/resource.k8s.io/v1/namespaces/ml/resourceclaimtemplates/one-gpu");
  CHECK(kPods.ObjectPath({"ml", "a"}, "status") == "/api/v1/namespaces/ml/pods/a/status");
  CHECK(kClasses.ObjectPath({"", "gpu.example.com"}) ==
        "/apis/resource.k8s.io/v1/deviceclasses/gpu.example.com");
  // A namespace that does not belong is not put into the path.
  CHECK(kClasses.CollectionPath("ml") == "/apis/resource.k8s.io/v1/deviceclasses");
}

TEST_CASE("a name cannot leave its segment") {
  CHECK(kPods.ObjectPath({"ml", "../../secrets"}) ==
        "/api/v1/namespaces/ml/pods/..%2F..%2Fsecrets");
  CHECK(kPods.ObjectPath({"..", "a"}) == "/api/v1/namespaces/%2E%2E/pods/a");
  CHECK(PercentEncode(".") == "%2E");
  CHECK(PercentEncode("a?b#c d%") == "a%3Fb%23c%20d%25");
  CHECK(PercentEncode("\xc3\xa4\n") == "%C3%A4%0A");
}

TEST_CASE("queries are encoded and leave out what is empty") {
  CHECK(Query().text().empty());
  CHECK(Query().Add("labelSelector", "a=b,c").Add("continue", "").Add("limit", "500").text() ==
        "?labelSelector=a%3Db%2Cc&limit=500");
}

}  // namespace
}  // namespace fedra::kube::paths_test
