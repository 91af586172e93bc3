#pragma once
//
// What of a text may leave the machine: no secret, and pseudonyms in place of names.
//
// Secrets go first. A name may stand inside of one (a password "my-train!", a line of base64 with
// "/ml/" in it): its pseudonym would break the secret up, and the rest would stay.
//
// Thread rules: const; any thread.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/bundle/known_names.h"
#include "manager/cli/bundle/secrets.h"

namespace fedra::cli {

class Disclosure final {
 public:
  // `names`: null, they stay. Both must outlive this.
  Disclosure(const Secrets& secrets, const KnownNames* names) : secrets_(secrets), names_(names) {}

  std::string Text(std::string_view text) const;
  // Every string in it by itself: as it is meant, before JSON's escapes.
  nlohmann::ordered_json Document(nlohmann::ordered_json document) const;

 private:
  const Secrets& secrets_;
  const KnownNames* const names_;
};

}  // namespace fedra::cli
