#include "cel/environment.h"

#include "cel/library.h"
#include "tests/support/catch.h"

namespace fedra::cel::environment_test {
namespace {

TEST_CASE("release names") {
  using enum KubernetesRelease;
  CHECK(*ParseRelease("1.36") == k136);
  CHECK(*ParseRelease("v1.34.0") == k134);
  CHECK(*ParseRelease("v1.36.3+k3s1") == k136);
  CHECK(*ParseRelease("1.34-gke.100") == k134);
  CHECK(*ParseRelease("1.99") == kNewestRelease);
  for (const char* text : {"", "1.33.4", "2.0", "1.", "v", "1.36x", "36", "1.-36", "1.3 6"}) {
    INFO(text);
    CHECK_FALSE(ParseRelease(text));
  }
  for (auto i = static_cast<int>(kOldestRelease); i <= static_cast<int>(kNewestRelease); ++i) {
    const auto release = static_cast<KubernetesRelease>(i);
    CHECK(*ParseRelease(ToString(release)) == release);
  }
}

// Same receiver, same arguments: the second could never be chosen.
bool SameSignature(const Overload& left, const Overload& right) {
  if (left.member != right.member || left.arity() != right.arity()) return false;
  Steps steps(1000);
  for (size_t i = 0; i < left.arity(); ++i) {
    if (!SameType(*left.params[i], *right.params[i], steps)) return false;
  }
  return true;
}

TEST_CASE("every overload can be told from the others of its function") {
  for (auto i = static_cast<int>(kOldestRelease); i <= static_cast<int>(kNewestRelease); ++i) {
    const FunctionSet& functions = FunctionsOf(static_cast<KubernetesRelease>(i));
    for (const char* name :
         {"size", "string", "compareTo", "ip", "add", "indexOf", "getHours", "_+_", "_[_]"}) {
      const FunctionDeclaration* function = functions.Find(name);
      REQUIRE(function != nullptr);
      for (size_t a = 0; a < function->overloads.size(); ++a) {
        for (size_t b = 0; b < a; ++b) {
          INFO(function->overloads[a]->id << " and " << function->overloads[b]->id);
          CHECK_FALSE(SameSignature(*function->overloads[a], *function->overloads[b]));
          CHECK(function->overloads[a]->id != function->overloads[b]->id);
        }
      }
    }
    CHECK(functions.Find("noSuchFunction") == nullptr);
  }
}

TEST_CASE("the environment table names each library with its releases") {
  bool includes = false;
  for (const EnvironmentFeature& feature : EnvironmentTable()) {
    CHECK_FALSE(feature.name.empty());
    CHECK_FALSE(feature.contents.empty());
    if (feature.until) CHECK(feature.since <= *feature.until);
    includes =
        includes || (feature.contents == "includes" && feature.since == KubernetesRelease::k136);
  }
  CHECK(includes);
}

}  // namespace
}  // namespace fedra::cel::environment_test
