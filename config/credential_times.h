#pragma once
//
// When a credential of a kubeconfig ends, and began.
//
// Plain values.

#include <optional>

#include "base/clock.h"

namespace fedra::config {

struct CredentialTimes {
  WallTime expires;
  std::optional<WallTime> issued = {};  // null: it does not say
  bool operator==(const CredentialTimes&) const = default;
};

}  // namespace fedra::config
