#pragma once
//
// BoundedText: a text that stops growing at a limit, for showing values and types whose full text
// may be exponentially longer than they are.
//
// Thread rules: plain value.

#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.h"

namespace fedra::cel {

class BoundedText final {
 public:
  explicit BoundedText(size_t limit) : limit_(limit) {}

  // Keeps what fits, whole characters. Once something did not fit the text is full and stays as it
  // is: loops over parts end then.
  void Append(std::string_view text) {
    if (full_) return;
    const size_t fits = limit_ - text_.size();
    if (text.size() > fits) {
      full_ = true;
      text = text.substr(0, CharacterBoundary(text, fits));
    }
    text_ += text;
  }
  // Nothing more is kept.
  void Fill() { full_ = true; }
  bool full() const { return full_; }

  // The text; "..." at its end if something is missing.
  std::string Take() && {
    if (full_) text_ += "...";
    return std::move(text_);
  }

 private:
  const size_t limit_;
  std::string text_;
  bool full_ = false;
};

}  // namespace fedra::cel
