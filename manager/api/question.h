#pragma once
//
// What a command asks, as a request to the API: the other half of api.h, for clients. Pure.

#include <string>

#include "manager/api/view.h"
#include "manager/text/view_settings.h"

namespace fedra::api {

// "/api/v1alpha1/jobs?state=Blocked&output=table": its answer is what RenderView prints here.
std::string TargetOf(View view, const std::string& job, const text::ViewSettings& settings);

}  // namespace fedra::api
