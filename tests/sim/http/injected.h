#pragma once
//
// Which faults replace answers (Faults::answers), and the answers that they give.
//
// Thread rules: any thread.

#include <optional>

#include "base/guarded.h"
#include "tests/sim/api/api.h"
#include "tests/sim/faults.h"

namespace fedra::sim {

// The first that fits; counts its use.
std::optional<InjectedAnswer> TakeInjected(Guarded<Faults>& faults, const ApiRequest& request);

// Of kStatus and kHtml.
ApiReply StatusReply(const InjectedAnswer& answer);
ApiReply HtmlReply(const InjectedAnswer& answer);

}  // namespace fedra::sim
