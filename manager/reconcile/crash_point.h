#pragma once
//
// Named places at which a test may end the process, as kill -9 would, to prove that a restart
// recovers. Does nothing unless the environment variable FEDRA_TEST_CRASH_AT names the place.
//
// Thread rules: any thread.

#include <string_view>

namespace fedra::reconcile {

void CrashPoint(std::string_view name);

}  // namespace fedra::reconcile
