#include "manager/cli/manifests/manifest_request.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "base/quantity.h"
#include "config/names.h"
#include "manager/cli/manifests/manifest_fields.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Text;

using Names = std::vector<std::string>;

// AllocationResultsMaxSize of resource.k8s.io/v1.
constexpr int64_t kMaxDevices = 32;

const FieldList kCapacity = {{"requests"}};
const FieldList kToleration = {{"key", "operator", "value", "effect", "tolerationSeconds"}};

// A field that may be absent and otherwise has one of few values.
void CheckOneOf(const json& owner, const char* member, const std::string& path, const Names& known,
                Findings& findings) {
  const json& value = Member(owner, member);
  if (value.is_null()) return;
  const std::string text = Text(owner, member);
  if (value.is_string() &&
      (text.empty() || std::find(known.begin(), known.end(), text) != known.end()))
    return;
  const std::string closest = config::ClosestName(text, known);
  findings.Error(fmt::format("{}.{}", path, member),
                 fmt::format("\"{}\" is not known", value.is_string() ? text : value.dump()),
                 closest.empty() ? fmt::format("write {}", fmt::join(known, " or "))
                                 : fmt::format("did you mean \"{}\"?", closest));
}

// How many devices the request takes at least; 0 where that is not written or a mistake of its own.
int64_t CountOf(const json& request) {
  if (Text(request, "deviceClassName").empty() || Text(request, "allocationMode") == "All")
    return 0;
  const json& count = Member(request, "count");
  if (count.is_null()) return 1;
  const int64_t number = count.is_number_integer() ? count.get<int64_t>() : 0;
  return number > kMaxDevices ? 0 : std::max<int64_t>(number, 0);
}

int64_t LeastOf(const json& request) {
  if (const json& exactly = Member(request, "exactly"); exactly.is_object())
    return CountOf(exactly);
  const json& alternatives = Member(request, "firstAvailable");
  if (!alternatives.is_array() || alternatives.empty()) return CountOf(request);
  int64_t least = kMaxDevices;
  for (const json& alternative : alternatives) least = std::min(least, CountOf(alternative));
  return least;
}

// "write 2 without quotes", of "2"; empty: the text is no number.
std::string WithoutQuotes(const json& value) {
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  const bool is_number = !text.empty() && std::ranges::all_of(text, IsDigit);
  return is_number ? fmt::format("write {} without quotes", text) : std::string();
}

}  // namespace

void CheckCount(const json& request, const std::string& path, Findings& findings) {
  const std::string mode = Text(request, "allocationMode");
  const json& count = Member(request, "count");
  CheckOneOf(request, "allocationMode", path, {"ExactCount", "All"}, findings);
  if (mode == "All" && !count.is_null())
    findings.Error(path + ".count", "cannot be set with allocationMode All", "leave it out");
  if (mode == "All" || count.is_null()) return;
  const bool is_positive = count.is_number_integer() && count.get<int64_t>() > 0;
  if (!is_positive) {
    findings.Error(path + ".count",
                   fmt::format("must be a whole number above 0, not {}", count.dump()),
                   WithoutQuotes(count));
  } else if (count.get<int64_t>() > kMaxDevices) {
    findings.Error(path + ".count",
                   fmt::format("one claim can hold at most {} devices", kMaxDevices),
                   "use several claims, or several pods");
  }
}

void CheckTolerations(const json& request, const std::string& path, Findings& findings) {
  const json& tolerations = Member(request, "tolerations");
  if (tolerations.is_null()) return;
  if (!tolerations.is_array()) return findings.Error(path + ".tolerations", "must be a list");
  for (size_t i = 0; i < tolerations.size(); ++i) {
    const std::string at = fmt::format("{}.tolerations[{}]", path, i);
    if (!tolerations[i].is_object()) {
      findings.Error(at, "must be an object", "write it like {operator: Exists}");
      continue;
    }
    if (Text(tolerations[i], "operator") == "Exists" && !Text(tolerations[i], "value").empty())
      findings.Error(at + ".value", "cannot be set with operator Exists", "leave it out");
    CheckFields(tolerations[i], at, kToleration, findings);
    CheckOneOf(tolerations[i], "operator", at, {"Exists", "Equal"}, findings);
    CheckOneOf(tolerations[i], "effect", at, {"NoSchedule", "NoExecute", "None"}, findings);
  }
}

void CheckCapacity(const json& request, const std::string& path, Findings& findings) {
  CheckFields(Member(request, "capacity"), path + ".capacity", kCapacity, findings);
  const json& requests = Member(Member(request, "capacity"), "requests");
  if (!requests.is_object()) return;
  for (const auto& [name, amount] : requests.items()) {
    const std::string at = fmt::format("{}.capacity.requests[\"{}\"]", path, name);
    const std::string text = amount.is_string() ? amount.get<std::string>() : amount.dump();
    const auto quantity = Quantity::Parse(text);
    if (!quantity) {
      findings.Error(at, fmt::format("\"{}\" is not a valid quantity", text), "write it like 20Gi");
    } else if (quantity->Sign() < 0) {
      // Kubernetes 1.36 accepts it, and then gives others more than there is.
      findings.Error(at, fmt::format("{} is below 0", text), "write how much of it is needed");
    } else if (quantity->Sign() == 0) {
      findings.Warn(at, fmt::format("{} asks for nothing of it", text),
                    "write how much of it is needed");
    }
  }
}

void CheckTotal(const json& devices, const std::string& path, Findings& findings) {
  const json& requests = Member(devices, "requests");
  if (!requests.is_array()) return;
  int64_t total = 0;
  for (const json& request : requests) total += LeastOf(request);
  if (total <= kMaxDevices) return;
  findings.Error(
      path + ".requests",
      fmt::format("ask for at least {} devices; one claim can hold at most {}, and the scheduler "
                  "ends with an error",
                  total, kMaxDevices),
      "use several claims, or several pods");
}

}  // namespace fedra::cli
