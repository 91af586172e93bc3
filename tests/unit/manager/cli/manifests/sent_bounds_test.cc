// What manifests that a client has sent may hold, and what is learnt of them at first.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "manager/cli/fleet/daemon_check.h"
#include "manager/cli/manifests/check_input.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "tests/support/catch.h"

namespace fedra::cli::sent_bounds_test {
namespace {

std::string Job(const std::string& name, const std::string& ns) {
  return fmt::format("---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: {}{}}}\n", name,
                     ns.empty() ? "" : ", namespace: " + ns);
}

Result<std::set<std::string>> Namespaces(const std::vector<ManifestFile>& files) {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<Manifest> manifests, ParseManifests(files, kSentBounds));
  return NamespacesIn(manifests, *tracking::BuiltInKinds(), "default-one");
}

// Each list has ten of the one before.
std::string Aliases(int levels) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < levels; ++i) {
    text += fmt::format("a{}: &a{} [", i, i);
    for (int k = 0; k < 10; ++k) text += fmt::format("{}*a{}", k > 0 ? ", " : "", i - 1);
    text += "]\n";
  }
  return text;
}

}  // namespace

TEST_CASE("the namespaces of what was sent are its jobs' and claims'") {
  const auto found =
      Namespaces({{"a", Job("one", "ml") + Job("two", "") +
                            "---\napiVersion: v1\nkind: ConfigMap\n"
                            "metadata: {name: c, namespace: other}\n"
                            "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\n"
                            "metadata: {name: gpu}\n"},
                  {"b",
                   "apiVersion: v1\nkind: List\nitems:\n"
                   "- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, "
                   "metadata: {name: c, namespace: lab}}\n"}});
  REQUIRE(found);
  CHECK(*found == std::set<std::string>{"default-one", "lab", "ml"});
}

TEST_CASE("too much at once is refused before anything of it is looked at") {
  std::string most;
  for (size_t i = 0; i < kSentBounds.documents; ++i) most += Job(fmt::format("j{}", i), "ml");
  CHECK(Namespaces({{"-", most}}));

  const auto wide = [](int times) {
    std::string text = "a: &a " + std::string(100'000, 'x') + "\nb: [";
    for (int i = 0; i < times; ++i) text += "*a, ";
    return text + "]\n";
  };
  // Each file by itself would be read.
  CHECK(Namespaces({{"-", Aliases(4)}}));
  CHECK(Namespaces({{"-", wide(20)}}));
  struct Row {
    std::vector<ManifestFile> files;
    const char* why;
  };
  const Row rows[] = {
      {{{"-", most + Job("one-more", "ml")}}, "more than 2000 manifests"},
      {{{"a", most}, {"b", Job("one-more", "ml")}}, "more than 2000 manifests"},
      {{{"-", Aliases(6)}}, "aliases make the document too large"},
      {std::vector<ManifestFile>(20, {"-", Aliases(4)}), "more than 100000 values"},
      {{{"-", wide(60)}}, "aliases make the document too large"},
      {std::vector<ManifestFile>(3, {"-", wide(20)}), "4096 KiB of JSON"},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    const auto namespaces = Namespaces(row.files);
    REQUIRE_FALSE(namespaces);
    CHECK(namespaces.error().code == ErrorCode::kInvalidArgument);
    CHECK_THAT(namespaces.error().message, ContainsSubstring(row.why));
    const auto input = ParseCheckInput(row.files, *tracking::BuiltInKinds(), "", kSentBounds);
    REQUIRE_FALSE(input);
    CHECK_THAT(input.error().message, ContainsSubstring(row.why));
  }
  // Of the user's own files the command reads more.
  CHECK(ParseCheckInput({{"-", most + Job("one-more", "ml")}}, *tracking::BuiltInKinds(), ""));
}

}  // namespace fedra::cli::sent_bounds_test
