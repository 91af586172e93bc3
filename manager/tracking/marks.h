#pragma once
//
// Who we are, as it stands on every copy of ours on a worker.
//
// Plain values.

#include <string>
#include <string_view>

namespace fedra::tracking {

struct Marks {
  std::string origin;  // value of the origin label
  // UID of the namespace kube-system of the management cluster; empty: it may not be read. Tells
  // two managers of one origin apart.
  std::string manager;

  // Whether a copy that says so may be ours. `made_by`: empty when it does not say.
  bool MayBeOn(std::string_view copy_origin, std::string_view made_by) const {
    return copy_origin == origin && (manager.empty() || made_by.empty() || made_by == manager);
  }
};

}  // namespace fedra::tracking
