// pod-lines: one pod and one cluster per line in, fedra's verdict per line out (docs:
// dra/README.md). tests/real/agree_scheduler.py compares it with what a real kube-scheduler did.

#include <iostream>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "tests/support/dra_case.h"
#include "tests/support/pod_case.h"
#include "verdict/reason_text.h"

namespace {

using fedra::dra::Judgement;
using fedra::verdict::Outcome;
using fedra::verdict::ReasonCode;
using nlohmann::json;

json Bad(const std::string& error) { return {{"outcome", "bad-input"}, {"error", error}}; }

std::string_view OutcomeOf(const Judgement& judgement) {
  const auto& verdict = judgement.verdict;
  if (verdict.outcome == Outcome::kYes) return "fit";
  if (judgement.pod_sets.at(0).aborted) return "error";
  for (const auto& reason : verdict.reasons)
    if (reason.code == ReasonCode::kBudgetExceeded) return "budget";
  return "nofit";
}

json ToJson(const Judgement& judgement) {
  json reasons = json::array(), devices = json::array();
  for (const auto& reason : judgement.verdict.reasons)
    reasons.push_back(std::string(ToString(reason.code)) + ": " +
                      fedra::verdict::MessageOf(reason));
  for (const auto& pod : judgement.pod_sets.at(0).devices)
    for (const auto& device : pod)
      devices.push_back({{"claim", device.claim},
                         {"request", device.request},
                         {"driver", device.pool.driver.str()},
                         {"pool", device.pool.pool.str()},
                         {"device", device.device.str()}});
  return {{"outcome", OutcomeOf(judgement)}, {"reasons", reasons}, {"devices", devices}};
}

// Each different answer once.
json InOrders(fedra::test::PodCase& input, size_t node, fedra::dra::SelectorCache& selectors) {
  std::set<json> seen;
  for (const auto& answer : AllocateInOrders(input, node, selectors))
    seen.insert(json::object({{"outcome", fedra::test::OutcomeOf(answer.allocation.fit)},
                              {"devices", answer.results_json}}));
  return json(seen);
}

json Answer(const json& input, fedra::dra::SelectorCache& selectors) {
  fedra::dra::ParseContext context;
  auto parsed = fedra::test::ReadPodCase(input, context);
  if (!parsed) return Bad(parsed.error().message);
  json output = ToJson(JudgeOn(*parsed, 0, parsed->nodes.size(), selectors));
  output["nodes"] = json::object();
  for (size_t i = 0; i < parsed->nodes.size(); ++i) {
    json& node = output["nodes"][parsed->nodes[i].name.str()];
    node = ToJson(JudgeOn(*parsed, i, 1, selectors));
    if (input.value("everyOrder", false)) node["orders"] = InOrders(*parsed, i, selectors);
  }
  return output;
}

// The JSON library throws where a field has another type than the protocol says.
json SafeAnswer(const json& input, fedra::dra::SelectorCache& selectors) {
  try {
    return Answer(input, selectors);
  } catch (const json::exception& error) {
    return Bad(error.what());
  }
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  fedra::dra::SelectorCache selectors;
  std::string line;
  while (std::getline(std::cin, line)) {
    const json input = json::parse(line, nullptr, false);
    json output = input.is_object() ? SafeAnswer(input, selectors) : Bad("not a JSON object");
    if (input.is_object() && input.contains("name")) output["name"] = input["name"];
    std::cout << output.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
  }
  return 0;
}
