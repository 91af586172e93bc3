#pragma once
//
// How much of what another program has said is quoted in a fact or a message.

#include <cstddef>

namespace fedra::verdict {

// Bytes; Cut() of base/text.h cuts it between two characters. The beginning of an error says what
// is wrong, and a message has several of them.
inline constexpr size_t kMaxQuoted = 200;

}  // namespace fedra::verdict
