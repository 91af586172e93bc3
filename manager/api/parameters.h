#pragma once
//
// The target of a request, taken apart. Pure.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "manager/api/routes.h"
#include "manager/http/message.h"

namespace fedra::api {

// "/api/v1alpha1/status?limit=5" without its query, decoded.
Result<std::string> PathOf(std::string_view target);

// Whether it is openapi.json, which is no route: all users who may ask get the same.
bool IsOpenApi(std::string_view target);
// The path of the route, for metrics: "jobs", "openapi.json"; of what is no endpoint "other".
std::string_view EndpointOf(std::string_view target);
// The route that the path names. kNotFound, with those that there are; kInvalidArgument.
Result<const Route*> RouteOf(std::string_view target);

// Whether its route is asked by POST.
bool IsForPost(const httpd::Request& request);

// Values of a route's parameters, each as its form says.
class Parameters final {
 public:
  // kInvalidArgument, with "--NAME ..." in front: a parameter that the route does not have, twice
  // where once is meant, without the value that it needs, or missing.
  static Result<Parameters> Parse(const Route& route, std::string_view target);

  // Empty: not given.
  std::string Text(std::string_view name) const;
  std::vector<std::string> List(std::string_view name) const;
  size_t Number(std::string_view name) const;
  bool Flag(std::string_view name, bool if_missing = false) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// For a client: "?state=Blocked,Waiting&limit=5", encoded; empty without any. Values that are empty
// are left out.
std::string QueryOf(const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace fedra::api
