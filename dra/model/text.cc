#include "dra/model/text.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/hash.h"

namespace fedra::dra {
namespace {

constexpr uint64_t kEmptyHash = Hash64("");

}  // namespace

// Objects are far smaller than 4 GB; what is longer is cut.
Text::Entry* Text::NewEntry(std::string_view text) {
  text = text.substr(0, UINT32_MAX);
  void* const memory = ::operator new(sizeof(Entry) + text.size());
  auto* entry =
      new (memory) Entry{.hash = Hash64(text), .size = static_cast<uint32_t>(text.size())};
  std::memcpy(entry->text(), text.data(), text.size());
  return entry;
}

void Text::Delete(Entry* entry) noexcept {
  entry->~Entry();
  ::operator delete(entry);
}

Text::Text(std::string_view text) {
  if (!text.empty()) entry_ = NewEntry(text);
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
