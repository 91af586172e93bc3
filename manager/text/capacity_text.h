#pragma once
//
// The queues, quota and devices of a cluster in a few characters. Pure.

#include <string>

#include "manager/verify/capacity.h"

namespace fedra::text {

// Each is "-" when nothing is known.
std::string QueuesText(const verify::Capacity& capacity);  // "2", or "1/2": one of two admits jobs
// "75%": of what is used most; `wide`: "gpu.example.com/gpu 6/8", of which queue when there are
// more.
std::string QuotaText(const verify::Capacity& capacity, bool wide);
std::string DevicesText(const verify::Capacity& capacity);  // "3/8": in use, of all

}  // namespace fedra::text
