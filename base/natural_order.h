#pragma once
//
// Names as people count them: eq-6 before eq-10. Pure.

#include <string>
#include <string_view>

namespace fedra {

// A text that compares, byte by byte, as the name does in natural order: each number follows its
// number of digits. Of more than nine digits the longer ones are not told apart, and neither are
// numbers that only leading zeros tell apart. Stores keep it (store/migrations/0017): to change it
// takes a migration.
std::string InNaturalOrder(std::string_view name);

}  // namespace fedra
