#pragma once
//
// What a command asks, as a request to the API: the other half of api.h, for clients. Pure.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manager/api/view.h"
#include "manager/text/view_settings.h"

namespace fedra::api {

// What a route is asked, by its parameters' names; those that are empty are not sent.
using Values = std::vector<std::pair<std::string, std::string>>;

// Of any route: "/api/v1alpha1/devices?worker=gpu-east&output=table".
std::string TargetOf(std::string_view path, Values values, text::Format format,
                     const text::Style& style);
// "/api/v1alpha1/jobs?state=Blocked&output=table": its answer is what RenderView prints here.
std::string TargetOf(View view, const std::string& job, const text::ViewSettings& settings);

}  // namespace fedra::api
