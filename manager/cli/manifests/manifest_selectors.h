#pragma once
//
// Selectors that read what no device publishes, although a name nearly the same is published: the
// selector is false, or an error, for every device, without a message of the scheduler. Pure.

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/manifests/manifest_check.h"

namespace fedra::cli {

// The one of `known` ("domain/name") that is probably meant: with another name in the same domain,
// or the same name in another domain; empty: none is near, or it is there.
std::string ClosestQualified(const std::string& name, const std::set<std::string>& known);

// A place of a device as a selector writes it, and what is probably meant.
struct SelectorTypo {
  std::string path;     // of the expression
  std::string written;  // `device.attributes["gpu.example.com"].modl`
  std::string meant;

  // "none of 4 devices on any of 3 workers has device.attributes[...].modl".
  std::string Message(const FleetFacts& fleet) const;
  // "did you mean device.attributes[...].model?".
  std::string Hint() const;
};
// In all selectors below `spec`, at `path`.
std::vector<SelectorTypo> SelectorTypos(const nlohmann::json& spec, const std::string& path,
                                        const FleetFacts& fleet);

// In a manifest: warnings, because a selector may well test for what is not there.
void CheckSelectorsAgainstFleet(const Manifest& manifest, const std::string& default_ns,
                                const FleetFacts& fleet, std::vector<Finding>& findings);

}  // namespace fedra::cli
