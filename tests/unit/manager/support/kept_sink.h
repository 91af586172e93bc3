#pragma once
//
// A client of a stream that takes everything at once, or nothing more.

#include <atomic>
#include <string>
#include <utility>

#include "base/guarded.h"
#include "manager/http/message.h"

namespace fedra::testing {

class KeptSink final : public httpd::Sink {
 public:
  bool IsReady() const override { return takes && !is_over; }
  bool IsOver() const override { return is_over; }
  void Write(std::string text) override {
    told_.With([&](std::string& all) { all += text; });
  }
  void End() override { is_over = true; }

  // Everything so far.
  std::string told() const { return told_.Copy(); }
  bool Has(const std::string& text) const { return told().find(text) != std::string::npos; }

  std::atomic<bool> takes{true};
  std::atomic<bool> is_over{false};

 private:
  Guarded<std::string> told_;
};

}  // namespace fedra::testing
