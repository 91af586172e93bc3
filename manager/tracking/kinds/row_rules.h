#pragma once
//
// What a row says of one object of its kind. Internal to tracking/kinds/. Pure.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "manager/tracking/kinds/kind_row.h"
#include "manager/tracking/pod_set.h"
#include "manager/tracking/requirement.h"

namespace fedra::tracking {

// `absent` where nothing is there. kBadResponse for what is no int.
Result<int> NumberAt(const nlohmann::json& object, const FieldPath& path, int absent);

bool Holds(const FieldTest& test, const nlohmann::json& object);
// Whether all tests of some alternative hold; false without alternatives.
bool Holds(const AnyOf& alternatives, const nlohmann::json& object);
bool HoldsAny(const std::vector<FieldTest>& tests, const nlohmann::json& object);
// The numbers that the tests look at, together: how many pods are active.
int SumOf(const std::vector<FieldTest>& tests, const nlohmann::json& object);

// kBadResponse when the value has another type than the row's.
Result<bool> IsSuspended(const SuspendRule& rule, const nlohmann::json& object);

// They point into `object`.
std::vector<PodTemplate> PodTemplatesOf(const std::vector<PodSetRule>& rules,
                                        const nlohmann::json& object);

// The size of an elastic job; null without a rule.
nlohmann::json SizesOf(const std::optional<ScaleRule>& rule, const nlohmann::json& object);
// Makes `to` as large as `from`, as far as they have the same elements.
void CopySizes(const std::optional<ScaleRule>& rule, const nlohmann::json& from,
               nlohmann::json& to);

// Makes the pod sets as large as these counts are, in their order, by the first factor of each; a
// count that is no multiple of the others stays. Nothing where it has other pod sets than that.
void SetCounts(const std::vector<PodSetRule>& rules, const std::vector<int>& counts,
               nlohmann::json& object);

// Objects that `object`, a job in this namespace, names.
std::vector<Reference> ReferencesOf(const std::vector<ReferenceRule>& rules,
                                    const nlohmann::json& object, const std::string& ns);

// Members of the status that a rule of the row looks at or its CRD requires, and the conditions.
std::vector<std::string> EssentialStatusOf(const KindRow& row);

}  // namespace fedra::tracking
