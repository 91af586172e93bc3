#pragma once
//
// The rules of every verdict that are a matter of the configuration (`verification`). Made once
// (wiring.h) and held by the daemon and by the commands alike, so that both judge by the same ones.
//
// Plain values.

#include <optional>
#include <string_view>

namespace fedra::verify {

// What a difference between a worker's object and the manager's of that name means.
enum class Drift { kIgnore, kWarn, kRequire };

// What a capability that a claim needs and the worker's configuration does not declare means.
enum class Undeclared { kWarn, kRequire };

// What it means for a job that names a claim when the claim is in use on a worker.
enum class SharedClaims {
  kPreferTogether,   // that worker is preferred; a claim of that name elsewhere is as good
  kRequireTogether,  // the job runs there or nowhere
};
// "PreferTogether", "RequireTogether"; wire values of the annotation fedra.dev/shared.
std::string_view ToString(SharedClaims rule);
std::optional<SharedClaims> ParseSharedClaims(std::string_view text);

struct Rules {
  Drift drift = Drift::kWarn;
  Undeclared undeclared = Undeclared::kWarn;
  SharedClaims shared_claims = SharedClaims::kPreferTogether;  // unless a claim says it itself
  // A template that the worker lacks is copied from the manager's when a job is dispatched there:
  // it counts as if it were there.
  bool copies_templates = false;

  bool operator==(const Rules&) const = default;
};

}  // namespace fedra::verify
