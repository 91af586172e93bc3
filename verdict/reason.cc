#include "verdict/reason.h"

namespace fedra::verdict {

Facts::Facts() = default;
Facts::Facts(const Facts& other) = default;
Facts::Facts(Facts&& other) noexcept = default;
Facts& Facts::operator=(const Facts& other) = default;
Facts& Facts::operator=(Facts&& other) noexcept = default;
Facts::~Facts() = default;

bool Facts::operator==(const Facts& other) const {
  return static_cast<const Variant&>(*this) == static_cast<const Variant&>(other);
}

}  // namespace fedra::verdict
