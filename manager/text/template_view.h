#pragma once
//
// What `fedra templates diff` shows: what would be done, or why nothing. Pure.

#include "manager/report/as_of.h"
#include "manager/templates/survey.h"
#include "manager/text/output.h"

namespace fedra::text {

// The survey has no problem. Workers that could not be read, and what is left alone, go to the
// note.
Output RenderTemplates(const templates::TemplateSurvey& survey, const report::AsOf& as_of,
                       Format format, const Style& style);

}  // namespace fedra::text
