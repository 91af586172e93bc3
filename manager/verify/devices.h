#pragma once
//
// The device half of a verdict, and how both halves become one.
//
// Pure but for the device states, which change under it.

#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "manager/tracking/pod_set.h"
#include "manager/verify/device_state.h"
#include "verdict/verdict.h"

namespace fedra::verify {

// Would these pods get their devices there? kUnknown when the view is not complete.
dra::Judgement JudgeDevices(const DeviceState& view, const std::string& ns,
                            const tracking::Demands& demands, const dra::AssumedList& assumed,
                            const TemplatesToCome& to_come = {});

// The verdict alone, remembered while nothing changes.
verdict::Verdict VerifyDevices(const DeviceState& view, const std::string& ns,
                               const tracking::Demands& demands, const dra::AssumedList& assumed,
                               const TemplatesToCome& to_come = {});

// The stricter outcome, and the reasons of both, each once, the stricter one's first. All else is
// `main`'s; it fits when devices are free only if nothing else is against it.
verdict::Verdict Combine(verdict::Verdict main, verdict::Verdict other);

}  // namespace fedra::verify
