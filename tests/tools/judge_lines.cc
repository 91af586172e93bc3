// judge-lines: one allocation case per line in, fedra's answer per line out (docs: dra/README.md).
//
// The protocol is shared with other engines, so that the same generated cases can be given to both;
// tests/real/go/allocator is the same program around the real scheduler's allocator.

#include <iostream>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "tests/support/dra_case.h"

namespace {

using fedra::dra::Fit;
using nlohmann::json;

json Bad(const std::string& error) { return {{"outcome", "bad-input"}, {"error", error}}; }

// The real allocator returns an error for such pools, although the scheduler only skips the node.
std::string_view OutcomeOf(const fedra::dra::NodeAllocation& allocation) {
  const Fit fit = allocation.fit;
  return fedra::test::OutcomeOf(fit == Fit::kNoFit && allocation.invalid_pools ? Fit::kError : fit);
}

json ToJson(const fedra::test::DraAnswer& answer) {
  json output = {{"outcome", OutcomeOf(answer.allocation)}, {"results", answer.results_json}};
  if (!answer.allocation.error.empty())
    output["error"] = answer.allocation.error;
  else if (answer.allocation.invalid_pools)
    output["error"] = "invalid resource pools were encountered";
  if (answer.allocation.leaked) output["leaked"] = true;
  return output;
}

json Answer(const json& input, fedra::dra::SelectorCache& selectors) {
  fedra::dra::ParseContext context;
  const auto parsed = fedra::test::ReadDraCase(input, context);
  if (!parsed) return Bad(parsed.error().message);
  const auto every_order = input.find("everyOrder");
  const auto answers = fedra::test::SolveInOrders(
      *parsed, selectors, {}, every_order != input.end() && *every_order == true);
  json output = ToJson(answers.front());
  std::set<json> seen = {output};
  json also = json::array();
  for (const auto& answer : answers)
    if (json other = ToJson(answer); seen.insert(other).second) also.push_back(std::move(other));
  if (!also.empty()) output["also"] = std::move(also);
  return output;
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  fedra::dra::SelectorCache selectors;
  std::string line;
  while (std::getline(std::cin, line)) {
    const json input = json::parse(line, nullptr, false);
    json output = input.is_object() ? Answer(input, selectors) : Bad("not a JSON object");
    if (input.is_object() && input.contains("name")) output["name"] = input["name"];
    std::cout << output.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
    // A partner that waits for each answer gets it; a file is read without a flush per line.
    if (std::cin.rdbuf()->in_avail() == 0) std::cout.flush();
  }
  return 0;
}
