#pragma once
//
// The text of an expression and complaints about places in it, laid out as cel-go does.
//
// Thread rules: plain values.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cel/selector.h"

namespace fedra::cel {

// Collects the complaints of one compilation. `text` must outlive it.
class IssueList final {
 public:
  explicit IssueList(std::string_view text) : text_(text) {}

  // `offset` in bytes; beyond the end means "at the end".
  void Add(uint32_t offset, std::string message, IssueKind kind = IssueKind::kOther,
           std::string subject = {});
  // A complaint about the whole expression.
  void AddGlobal(std::string message);

  bool empty() const { return issues_.empty(); }
  size_t size() const { return issues_.size(); }
  // Sorted by place.
  std::vector<CompileIssue> Take();

 private:
  struct Located {
    uint32_t offset;
    CompileIssue issue;
  };
  const std::string_view text_;
  std::vector<Located> issues_;
};

}  // namespace fedra::cel
