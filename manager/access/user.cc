#include "manager/access/user.h"

#include <fmt/format.h>

namespace fedra::access {

std::string TextOf(const Wish& wish) {
  if (wish.resource.empty()) return fmt::format("{} the path {}", wish.verb, wish.path);
  return fmt::format("{} {}{}{}{}{} {}", wish.verb, wish.resource,
                     wish.subresource.empty() ? "" : "/", wish.subresource,
                     wish.group.empty() ? "" : ".", wish.group,
                     wish.ns.empty() ? "everywhere" : "in the namespace " + wish.ns);
}

}  // namespace fedra::access
