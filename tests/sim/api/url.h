#pragma once
//
// URLs of the Kubernetes API taken apart.
//
// Thread rules: plain values.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fedra::sim {

struct Url {
  std::string path;                   // decoded
  std::vector<std::string> segments;  // of the path, decoded
  std::map<std::string, std::string> query;

  // "" when the parameter is not there.
  std::string Query(const std::string& name) const;
  // Go's idea of a boolean parameter: "true", "1", "t".
  bool Flag(const std::string& name) const;
};

Url ParseUrl(std::string_view target);

// /api/VERSION/... or /apis/GROUP/VERSION/...[namespaces/NS/]PLURAL[/NAME[/SUBRESOURCE]]
struct ResourcePath {
  std::string group;
  std::string version;
  std::string ns;
  std::string plural;
  std::string name;
  std::string subresource;
};

// Nothing when the path is none of a resource.
std::optional<ResourcePath> ParseResourcePath(const Url& url);

}  // namespace fedra::sim
