#include "manager/cli/api_service.h"

#include <chrono>
#include <future>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cluster-clients/http/loop.h"
#include "cluster-clients/http/program.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Path;
using tracking::Text;

constexpr std::string_view kLabel = "app.kubernetes.io/name";  // the chart's, and kustomize's
constexpr std::string_view kLabelValue = "fedra";
constexpr std::string_view kPortName = "https";
constexpr const char* kUsualNamespace = "fedra-system";
constexpr std::chrono::milliseconds kPatience{20'000};

Result<std::string> Kubectl(std::vector<std::string> arguments) {
  http::HttpLoop loop;
  std::promise<Result<http::ProgramResult>> promise;
  http::RunProgram(
      loop,
      {.command = kKubectl,
       .args = std::move(arguments),
       .env = {},
       .timeout = kPatience,
       .max_output = size_t{16} << 20},
      [&](Result<http::ProgramResult> result) { promise.set_value(std::move(result)); });
  auto result = promise.get_future().get();
  if (!result && result.error().code == ErrorCode::kNotFound) return Fail(NoKubectl());
  if (!result) return Fail(std::move(result).error().WithContext("kubectl get services"));
  if (result->exit_code == 0) return std::move(result->out);
  const std::string said = LastLine(result->err);
  const bool is_forbidden = said.find("(Forbidden)") != said.npos;
  return Fail(is_forbidden ? ErrorCode::kForbidden : ErrorCode::kUnavailable,
              "kubectl get services: " + said);
}

Result<std::string> ServicesIn(const ContextChoice& context, const std::string& ns) {
  return Kubectl(
      KubectlArguments(context, {"get", "services", "--namespace=" + ns, "--output=json"}));
}

// Its port of that name; 0: it has none.
int PortIn(const json& service) {
  for (const json& port : Path(service, {"spec", "ports"}))
    if (Text(port, "name") == kPortName) return tracking::Number(port, "port", 0);
  return 0;
}

bool IsMeant(const json& service, const ServiceChoice& choice) {
  const json& metadata = Member(service, "metadata");
  if (!choice.name.empty()) return Text(metadata, "name") == choice.name;
  return Text(Member(metadata, "labels"), kLabel) == kLabelValue;
}

}  // namespace

std::vector<std::string> KubectlArguments(const ContextChoice& context,
                                          std::initializer_list<std::string> more) {
  std::vector<std::string> all;
  if (!context.kubeconfig.empty()) all.push_back("--kubeconfig=" + context.kubeconfig);
  if (!context.context.empty()) all.push_back("--context=" + context.context);
  all.insert(all.end(), more);
  return all;
}

Error NoKubectl() {
  return {ErrorCode::kNotFound,
          "kubectl is not in PATH, and finds the way into the cluster; with --server "
          "https://HOST:PORT it is not needed"};
}

std::string LastLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

Result<ApiService> ApiServiceIn(const std::string& text, const ServiceChoice& choice) {
  const json list = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!list.is_object() || !list.contains("items") || !list["items"].is_array())
    return Fail(ErrorCode::kBadResponse, "kubectl get services prints no list");
  std::vector<ApiService> found;
  std::vector<std::string> without;
  for (const json& service : list["items"]) {
    if (!service.is_object() || !IsMeant(service, choice)) continue;
    const json& metadata = Member(service, "metadata");
    const ApiService one{Text(metadata, "namespace"), Text(metadata, "name"), PortIn(service)};
    if (one.port == 0) {
      without.push_back(one.ToString());
    } else {
      found.push_back(one);
    }
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    std::vector<std::string> names;
    for (const ApiService& each : found) names.push_back(each.ToString());
    return Fail(ErrorCode::kConflict,
                fmt::format("several Services have fedra's label: name one of {} by --server "
                            "service:NAMESPACE/NAME",
                            fmt::join(names, ", ")));
  }
  if (!without.empty())
    return Fail(
        ErrorCode::kNotFound,
        fmt::format("the Service {} has no port called {}: its API is not served to users of "
                    "the cluster (api.secure; with the Helm chart secureApi.enabled)",
                    without.front(), kPortName));
  if (!choice.name.empty())
    return Fail(ErrorCode::kNotFound,
                fmt::format("there is no Service {}/{}", choice.ns, choice.name));
  return Fail(ErrorCode::kNotFound,
              fmt::format("no Service in the namespace {} has the label {}={}: name fedra's by "
                          "--server service:NAMESPACE/NAME",
                          choice.ns, kLabel, kLabelValue));
}

Result<ApiService> FindApiService(const ServiceChoice& choice, const ContextChoice& context) {
  ServiceChoice known = choice;
  if (known.ns.empty()) known.ns = kUsualNamespace;
  FEDRA_ASSIGN_OR_RETURN(const std::string listed, ServicesIn(context, known.ns));
  return ApiServiceIn(listed, known);
}

}  // namespace fedra::cli
