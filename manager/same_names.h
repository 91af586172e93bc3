#pragma once
//
// Choices of the configuration as the layers below know them: the same names on both sides, because
// config/ and they may not include each other.
//
// One switch each, without a default: a value that only one side has does not compile, where a
// ternary would pass it for another. Pure.

#include "config/configuration.h"
#include "manager/placement/lines.h"
#include "manager/placement/view.h"
#include "manager/templates/plan.h"
#include "manager/tracking/ownership.h"
#include "manager/verify/existence.h"
#include "manager/verify/objects.h"

namespace fedra {

verify::Drift SameName(config::Drift value);
verify::Undeclared SameName(config::Undeclared value);
verify::SharedClaims SameName(config::SharedClaims value);
templates::SyncPolicy SameName(config::SyncPolicy value);
placement::DispatchPolicy SameName(config::DispatchPolicy value);
placement::UnknownPolicy SameName(config::UnknownPolicy value);
placement::OrderPolicy SameName(config::OrderPolicy value);
tracking::Mode SameName(config::KueueMode value);

}  // namespace fedra
