#include "base/label_selector.h"

#include "tests/support/catch.h"

namespace fedra::label_selector_test {
namespace {

bool Matches(const std::string& text, const LabelSelector::Labels& labels) {
  const auto selector = LabelSelector::Parse(text);
  INFO(text);
  REQUIRE(selector);
  return selector->Matches(labels);
}

TEST_CASE("label selectors mean what kubectl means by them") {
  const LabelSelector::Labels labels = {{"app", "train"}, {"tier", "gpu"}, {"empty", ""}};
  CHECK(Matches("", labels));
  CHECK(Matches("app=train", labels));
  CHECK(Matches("app==train", labels));
  CHECK(Matches(" app = train , tier in ( cpu, gpu ) ", labels));
  CHECK(Matches("app", labels));
  CHECK(Matches("!old", labels));
  CHECK(Matches("old!=x", labels));
  CHECK(Matches("old notin (x)", labels));
  CHECK(Matches("tier!=cpu", labels));
  CHECK(Matches("empty=", labels));
  CHECK_FALSE(Matches("app=serve", labels));
  CHECK_FALSE(Matches("app!=train", labels));
  CHECK_FALSE(Matches("old", labels));
  CHECK_FALSE(Matches("old=x", labels));
  CHECK_FALSE(Matches("old in (x)", labels));
  CHECK_FALSE(Matches("!app", labels));
  CHECK_FALSE(Matches("tier notin (gpu,cpu)", labels));
  CHECK_FALSE(Matches("app=train,tier=cpu", labels));
  CHECK_FALSE(Matches("empty!=", labels));
}

TEST_CASE("what is no label selector says where") {
  const auto message = [](const std::string& text) {
    const auto selector = LabelSelector::Parse(text);
    REQUIRE_FALSE(selector);
    return selector.error().message;
  };
  CHECK(message("=x") == "\"=x\": expected the name of a label before \"=x\"");
  CHECK(message("a,") == "\"a,\": expected the name of a label at the end");
  CHECK(message("a b") == "\"a b\": expected =, !=, in or notin at the end");
  CHECK(message("a in x") == "\"a in x\": expected ( before \"x\"");
  CHECK(message("a in (x") == "\"a in (x\": expected ) at the end");
  CHECK(message("a=b c") == "\"a=b c\": expected a comma before \"c\"");
}

}  // namespace
}  // namespace fedra::label_selector_test
