#include "manager/same_names.h"

#include <cstdlib>

namespace fedra {

// After each switch: an enum that holds none of its values is a broken invariant.

verify::Drift SameName(config::Drift value) {
  using To = verify::Drift;
  switch (value) {
    case config::Drift::kIgnore:
      return To::kIgnore;
    case config::Drift::kWarn:
      return To::kWarn;
    case config::Drift::kRequire:
      return To::kRequire;
  }
  std::abort();
}

verify::Undeclared SameName(config::Undeclared value) {
  using To = verify::Undeclared;
  switch (value) {
    case config::Undeclared::kWarn:
      return To::kWarn;
    case config::Undeclared::kRequire:
      return To::kRequire;
  }
  std::abort();
}

verify::SharedClaims SameName(config::SharedClaims value) {
  using To = verify::SharedClaims;
  switch (value) {
    case config::SharedClaims::kPreferTogether:
      return To::kPreferTogether;
    case config::SharedClaims::kRequireTogether:
      return To::kRequireTogether;
  }
  std::abort();
}

templates::SyncPolicy SameName(config::SyncPolicy value) {
  using To = templates::SyncPolicy;
  switch (value) {
    case config::SyncPolicy::kNever:
      return To::kNever;
    case config::SyncPolicy::kIfMissing:
      return To::kIfMissing;
    case config::SyncPolicy::kReconcile:
      return To::kReconcile;
  }
  std::abort();
}

placement::DispatchPolicy SameName(config::DispatchPolicy value) {
  using To = placement::DispatchPolicy;
  switch (value) {
    case config::DispatchPolicy::kBest:
      return To::kBest;
    case config::DispatchPolicy::kRace:
      return To::kRace;
  }
  std::abort();
}

placement::UnknownPolicy SameName(config::UnknownPolicy value) {
  using To = placement::UnknownPolicy;
  switch (value) {
    case config::UnknownPolicy::kTryLast:
      return To::kTryLast;
    case config::UnknownPolicy::kNever:
      return To::kNever;
  }
  std::abort();
}

placement::OrderPolicy SameName(config::OrderPolicy value) {
  using To = placement::OrderPolicy;
  switch (value) {
    case config::OrderPolicy::kStrict:
      return To::kStrict;
    case config::OrderPolicy::kBackfill:
      return To::kBackfill;
    case config::OrderPolicy::kBestEffort:
      return To::kBestEffort;
  }
  std::abort();
}

tracking::Mode SameName(config::KueueMode value) {
  using To = tracking::Mode;
  switch (value) {
    case config::KueueMode::kAdmissionCheck:
      return To::kAdmissionCheck;
    case config::KueueMode::kMultiKueue:
      return To::kMultiKueue;
    case config::KueueMode::kDispatcher:
      return To::kDispatcher;
  }
  std::abort();
}

}  // namespace fedra
