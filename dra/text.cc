#include "dra/text.h"

#include <algorithm>

#include "base/hash.h"

namespace fedra::dra {
namespace {

constexpr uint64_t kEmptyHash = Hash64("");

}  // namespace

Text::Text(std::string_view text) {
  if (!text.empty()) entry_ = new Entry{.text = std::string(text), .hash = Hash64(text)};
}

uint64_t Text::hash() const { return entry_ ? entry_->hash : kEmptyHash; }

size_t TextHash::operator()(std::string_view text) const { return Hash64(text); }

Text TextPool::Intern(std::string_view text) {
  if (const auto found = texts_.find(text); found != texts_.end()) return *found;
  if (texts_.size() >= next_cleanup_) DropUnused();
  return *texts_.emplace(text).first;
}

void TextPool::DropUnused() {
  std::erase_if(texts_, [](const Text& text) {
    return text.entry_ == nullptr || text.entry_->references.load(std::memory_order_acquire) == 1;
  });
  next_cleanup_ = std::max<size_t>(1024, texts_.size() * 2);
}

}  // namespace fedra::dra
