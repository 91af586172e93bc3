#pragma once
//
// Something that judges manifests until it is told to end, for servers of the API.
//
// Thread rules: any thread. Lifetime: must outlive the servers that have its source.

#include <atomic>

#include "base/guarded.h"
#include "manager/api/check_request.h"

namespace fedra::testing {

class SlowCheck final {
 public:
  // Its manifests are about the namespace default.
  api::CheckSource Source() {
    return {.read = [this](const api::CheckRequest&) -> Result<api::ReadCheck> {
              return api::ReadCheck{{"default"}, [this](const auto&, const auto&) {
                                      ++begun;
                                      may_end_.Wait([](bool may) { return may; }, [](bool) {});
                                      return Result<text::Output>(text::Output{"{}\n", {}});
                                    }};
            },
            .stop = [this] { End(); }};
  }
  // What is being judged, and what comes later.
  void End() {
    may_end_.With([](bool& may) { may = true; });
    may_end_.Notify();
  }

  std::atomic<int> begun{0};

 private:
  Guarded<bool> may_end_{false};
};

}  // namespace fedra::testing
