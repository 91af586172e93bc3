#pragma once
//
// Copies of ResourceClaimTemplates for programs: what `templates diff` prints as JSON. Pure.

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "manager/report/as_of.h"
#include "manager/templates/survey.h"

namespace fedra::report {

// "IfMissing", as in verification.templates.sync.
std::string_view NameOf(templates::SyncPolicy mode);

// TemplateSync. The survey has no problem.
nlohmann::ordered_json TemplateDocument(const templates::TemplateSurvey& survey, const AsOf& as_of);

}  // namespace fedra::report
