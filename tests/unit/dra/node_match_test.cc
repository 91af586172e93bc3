#include "dra/model/node_match.h"

#include "tests/support/catch.h"

namespace fedra::dra::node_match_test {
namespace {

Node MakeNode(std::vector<std::pair<Symbol, Symbol>> labels) {
  Node node;
  node.name = Symbol("node-1");
  node.labels = std::move(labels);
  return node;
}

NodeRequirement Require(const char* key, const char* op, const std::vector<const char*>& values) {
  NodeRequirement requirement{.key = Symbol(key), .op = Symbol(op), .values = {}};
  for (const char* value : values) requirement.values.emplace_back(value);
  return requirement;
}

NodeSelector One(NodeRequirement expression) {
  return {.terms = {{.expressions = {std::move(expression)}, .fields = {}}}};
}

struct Row {
  NodeRequirement requirement;
  int expected;  // 1 yes, 0 no, -1 error
};

TEST_CASE("label requirements as the scheduler reads them") {
  const Node node = MakeNode({{Symbol("rank"), Symbol("5")}, {Symbol("zone"), Symbol("a")}});
  const std::vector<Row> rows = {
      {Require("zone", "In", {"a", "b"}), 1},
      {Require("zone", "In", {"b"}), 0},
      {Require("rack", "In", {"b"}), 0},
      {Require("zone", "NotIn", {"b"}), 1},
      {Require("zone", "NotIn", {"a"}), 0},
      {Require("rack", "NotIn", {"a"}), 1},  // a missing label is not in anything
      {Require("zone", "Exists", {}), 1},
      {Require("rack", "Exists", {}), 0},
      {Require("rack", "DoesNotExist", {}), 1},
      {Require("rank", "Gt", {"4"}), 1},
      {Require("rank", "Gt", {"5"}), 0},
      {Require("rank", "Lt", {"6"}), 1},
      {Require("zone", "Gt", {"1"}), 0},  // the label is no number
      {Require("zone", "Like", {"a"}), -1},
      {Require("zone", "In", {}), -1},
      {Require("zone", "Exists", {"a"}), -1},
      {Require("rank", "Gt", {"x"}), -1},
      {Require("rank", "Gt", {"1", "2"}), -1},
      {Require("not a key", "Exists", {}), -1},
      {Require("example.com/zone", "DoesNotExist", {}), 1},
      {Require("Example.com/zone", "DoesNotExist", {}), -1},
      {Require("zone", "In", {"not/a value"}), -1},
  };
  for (const Row& row : rows) {
    INFO(row.requirement.key.str() << " " << row.requirement.op.str());
    const auto result = Matches(One(row.requirement), node);
    CHECK((result ? static_cast<int>(*result) : -1) == row.expected);
  }
}

TEST_CASE("field requirements know metadata.name and take exactly one value") {
  const Node node = MakeNode({});
  const auto with_field = [&](NodeRequirement field) {
    return Matches({.terms = {{.expressions = {}, .fields = {std::move(field)}}}}, node);
  };
  CHECK(*with_field(Require("metadata.name", "In", {"node-1"})));
  CHECK_FALSE(*with_field(Require("metadata.name", "In", {"node-2"})));
  CHECK(*with_field(Require("metadata.name", "NotIn", {"node-2"})));
  CHECK_FALSE(with_field(Require("metadata.name", "In", {"a", "b"})));
  CHECK_FALSE(with_field(Require("metadata.name", "Exists", {})));
}

TEST_CASE("terms are alternatives, and an empty term or selector selects nothing") {
  const Node node = MakeNode({{Symbol("zone"), Symbol("a")}});
  NodeSelector selector = One(Require("zone", "In", {"b"}));
  selector.terms.push_back(One(Require("zone", "In", {"a"})).terms[0]);
  CHECK(*Matches(selector, node));
  CHECK_FALSE(*Matches(NodeSelector(), node));
  CHECK_FALSE(*Matches({.terms = {NodeSelectorTerm()}}, node));
}

TEST_CASE("a broken term is an error at once for slices, for pods only when nothing else matches") {
  const Node node = MakeNode({{Symbol("zone"), Symbol("a")}});
  NodeSelector selector = One(Require("zone", "Like", {"b"}));
  selector.terms.push_back(One(Require("zone", "In", {"a"})).terms[0]);
  CHECK_FALSE(Matches(selector, node));
  CHECK(*MatchesLazily(selector, node));
  CHECK_FALSE(MatchesLazily(One(Require("zone", "Like", {"b"})), node));
}

TEST_CASE("the reach of a slice: the node name comes before all nodes and the selector") {
  const Node node = MakeNode({});
  NodeReach reach;
  CHECK_FALSE(*Reaches(reach, node));
  reach.all_nodes = true;
  CHECK(*Reaches(reach, node));
  reach.node_name = Symbol("node-2");
  CHECK_FALSE(*Reaches(reach, node));
}

}  // namespace
}  // namespace fedra::dra::node_match_test
