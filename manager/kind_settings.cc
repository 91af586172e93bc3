#include "manager/kind_settings.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/assert.h"

namespace fedra {
namespace {

template <class Value>
Value Read(Result<Value> read) {
  FEDRA_ASSERT(read.has_value(), "the configuration has been checked");
  return *std::move(read);
}

FieldPath Path(const std::string& text) { return Read(FieldPath::Parse(text)); }

AnyOf Alternatives(const std::vector<std::string>& texts) {
  AnyOf any;
  for (const std::string& text : texts) any.push_back(Read(ParseTests(text)));
  return any;
}

tracking::PodSetRule ToRule(const config::PodSetSettings& pods) {
  tracking::PodSetRule rule{.at = Path(pods.at),
                            .pod_template = Path(pods.pod_template),
                            .name = pods.name,
                            .name_at = Path(pods.name_at)};
  if (!pods.count.empty()) rule.count = Read(ParseCount(pods.count));
  return rule;
}

bool IsFlag(const std::string& text) { return text == "true" || text == "false"; }

}  // namespace

tracking::KindRow ToRow(const config::KindSettings& kind) {
  const size_t slash = kind.api_version.find('/');
  tracking::KindRow row{
      .resource = {kind.api_version.substr(0, slash), kind.api_version.substr(slash + 1),
                   kind.plural, kind.kind},
      .managed_by = Path(kind.managed_by),
      .suspend = {.path = Path(kind.suspend),
                  .suspended =
                      IsFlag(kind.suspended)
                          ? kind.suspended
                          : nlohmann::json(kind.suspended)
                                .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)},
      .succeeded = Alternatives(kind.succeeded),
      .failed = Alternatives(kind.failed),
      .stopped = Alternatives(kind.stopped),
      .cleared_conditions = kind.cleared_conditions,
      .pod_label = {kind.pod_label},
      .honoured_since = kind.operator_name};
  for (const config::PodSetSettings& pods : kind.pod_sets) row.pod_sets.push_back(ToRule(pods));
  for (AllOf& tests : Alternatives(kind.active)) row.active.push_back(std::move(tests.front()));
  if (!kind.cleared.empty()) row.cleared_status = kind.cleared;
  for (const std::string& path : kind.stripped) row.stripped.push_back(Path(path));
  return row;
}

}  // namespace fedra
