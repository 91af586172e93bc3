#pragma once
//
// A published device as selectors see it, the variable `device` of cel/, and what they make of it.
//
// Pure.

#include "cel/device.h"
#include "dra/model/model.h"

namespace fedra::dra {

// `sees_sharing`: AllocatorFeatures::selectors_see_sharing.
cel::Device ToCel(const Device& device, const Symbol& driver, bool sees_sharing = true);

// A derived attribute's value, as if a device published it. monostate stays.
AttributeValue FromCel(const cel::AttributeValue& value);

}  // namespace fedra::dra
