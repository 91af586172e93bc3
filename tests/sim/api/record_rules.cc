// fedra.dev/v1alpha1 PlacementRecord: the schema of deploy/placement-records.yaml, as far as fedra
// could break it.

#include <fmt/format.h>

#include <set>

#include "tests/sim/api/rules.h"

namespace fedra::sim {
namespace {

constexpr size_t kMaxFailures = 20;
constexpr size_t kMaxFailureMessage = 1024;
constexpr size_t kMaxFailureReason = 64;

FieldError Absent(std::string field) {
  return {"FieldValueRequired", std::move(field), "Required value"};
}

void CheckLength(const Json& failure, const std::string& at, std::string_view field, size_t limit,
                 std::vector<FieldError>& errors) {
  if (StringAt(failure, {field}).size() <= limit) return;
  errors.push_back({"FieldValueTooLong", fmt::format("{}.{}", at, field),
                    fmt::format("Too long: may not be more than {} bytes", limit)});
}

void CheckFailure(const Json& failure, const std::string& at, std::vector<FieldError>& errors) {
  for (const std::string_view field : {"worker", "reason", "time"})
    if (At(failure, {field}) == nullptr) errors.push_back(Absent(fmt::format("{}.{}", at, field)));
  CheckLength(failure, at, "reason", kMaxFailureReason, errors);
  CheckLength(failure, at, "message", kMaxFailureMessage, errors);
  const Json* times = At(failure, {"times"});
  if (times != nullptr &&
      (!times->is_number_integer() || times->get<int>() < 1 || times->get<int>() > 100))
    errors.push_back({"FieldValueInvalid", at + ".times", "Invalid value: must be from 1 to 100"});
}

}  // namespace

std::vector<FieldError> CheckPlacementRecord(const Json& record) {
  std::vector<FieldError> errors;
  const Json& failures = ArrayAt(record, {"status", "failures"});
  for (const std::string_view field : {"attempt", "failures"}) {
    const Json* value = At(record, {"status", field});
    if (value == nullptr || value->is_null())
      errors.push_back(Absent(fmt::format("status.{}", field)));
  }
  if (failures.size() > kMaxFailures)
    errors.push_back(
        {"FieldValueTooMany", "status.failures",
         fmt::format("Too many: {}: must have at most {} items", failures.size(), kMaxFailures)});
  std::set<std::string_view> workers;
  for (size_t i = 0; i < failures.size(); ++i) {
    const std::string at = fmt::format("status.failures[{}]", i);
    CheckFailure(failures[i], at, errors);
    if (!workers.insert(StringAt(failures[i], {"worker"})).second)
      errors.push_back({"FieldValueDuplicate", at, "Duplicate value"});
  }
  return errors;
}

}  // namespace fedra::sim
