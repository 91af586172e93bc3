#pragma once
//
// Reasons as JSON: what is kept in the store, and what programs read. Pure.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "verdict/verdict.h"

namespace fedra::verify {

// {"code": ..., "object": ..., "message": ..., "facts": {...}}, and "newNodes" where they would
// help. The same in `why` and in `check`. The code as text: a store may have one of a later
// release.
nlohmann::ordered_json ReasonJson(std::string_view code, const verdict::Reason& reason);
nlohmann::ordered_json ReasonJson(const verdict::Reason& reason);

// What the store keeps of a reason, and of all: facts without words, which are made when they are
// shown.
nlohmann::ordered_json KeptJson(const verdict::Reason& reason);
std::string KeptReasons(const std::vector<verdict::Reason>& reasons);

// One of those. What an earlier release kept is a Sentence (store/migrations/0011).
struct KeptReason {
  std::string code;        // of a later release, it may be unknown
  verdict::Reason reason;  // its code only where that is known
};
// Empty when the text is not the array that it should be.
std::vector<KeptReason> ParseKeptReasons(const std::string& text);
// Their codes alone: a fraction of the work.
std::vector<std::string> ParseKeptCodes(const std::string& text);

}  // namespace fedra::verify
