#pragma once
//
// A published device as selectors see it: the variable `device` of cel/.
//
// Thread rules: a pure function.

#include "cel/device.h"
#include "dra/model/model.h"

namespace fedra::dra {

cel::Device ToCel(const Device& device, const Text& driver);

}  // namespace fedra::dra
