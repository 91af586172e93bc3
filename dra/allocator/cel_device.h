#pragma once
//
// A published device as selectors see it: the variable `device` of cel/.
//
// Pure.

#include "cel/device.h"
#include "dra/model/model.h"

namespace fedra::dra {

// `sees_sharing`: AllocatorFeatures::selectors_see_sharing.
cel::Device ToCel(const Device& device, const Symbol& driver, bool sees_sharing = true);

}  // namespace fedra::dra
