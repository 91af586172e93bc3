#include "manager/access/user.h"

#include <fmt/format.h>

namespace fedra::access {

std::string TextOf(const Attributes& attributes) {
  if (attributes.resource.empty())
    return fmt::format("{} the path {}", attributes.verb, attributes.path);
  return fmt::format("{} {}{}{}{}{} {}", attributes.verb, attributes.resource,
                     attributes.subresource.empty() ? "" : "/", attributes.subresource,
                     attributes.group.empty() ? "" : ".", attributes.group,
                     attributes.ns.empty() ? "everywhere" : "in the namespace " + attributes.ns);
}

}  // namespace fedra::access
