#pragma once
//
// What selectors and derived attributes have in common: both are expressions over a device.
//
// Thread rules: pure functions on their arguments.

#include <string>
#include <string_view>

#include "cel/compile.h"

namespace fedra::cel {

// Memory on the stack for what an evaluation creates; most create nothing.
inline constexpr size_t kInlineMemory = 512;

// A complaint about the expression as a whole.
tl::unexpected<CompileFailure> Refused(std::string message);

// In the environment of the release, with advice for a failure. The result may be of any type.
tl::expected<Compiled, CompileFailure> CompileForDevice(std::string_view expression,
                                                        const SelectorOptions& options);

}  // namespace fedra::cel
