#include "base/hash.h"

#include <fmt/format.h>

namespace fedra {

std::string HashHex(std::string_view bytes) { return fmt::format("{:016x}", Hash64(bytes)); }

}  // namespace fedra
