#include "dra/model/symbol.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/hash.h"

namespace fedra::dra {
namespace {

constexpr uint64_t kEmptyHash = Hash64("");

}  // namespace

// Objects are far smaller than 4 GB; what is longer is cut.
Symbol::Entry* Symbol::NewEntry(std::string_view text) {
  text = text.substr(0, UINT32_MAX);
  void* const memory = ::operator new(sizeof(Entry) + text.size());
  auto* entry =
      new (memory) Entry{.hash = Hash64(text), .size = static_cast<uint32_t>(text.size())};
  std::memcpy(entry->text(), text.data(), text.size());
  return entry;
}

void Symbol::Delete(Entry* entry) noexcept {
  entry->~Entry();
  ::operator delete(entry);
}

Symbol::Symbol(std::string_view text) {
  if (!text.empty()) entry_ = NewEntry(text);
}

uint64_t Symbol::hash() const { return entry_ ? entry_->hash : kEmptyHash; }

size_t SymbolHash::operator()(std::string_view text) const { return Hash64(text); }

Symbol SymbolPool::Intern(std::string_view text) {
  if (const auto found = symbols_.find(text); found != symbols_.end()) return *found;
  if (symbols_.size() >= next_cleanup_) DropUnused();
  return *symbols_.emplace(text).first;
}

void SymbolPool::DropUnused() {
  std::erase_if(symbols_, [](const Symbol& text) {
    return text.entry_ == nullptr || text.entry_->references.load(std::memory_order_acquire) == 1;
  });
  next_cleanup_ = std::max<size_t>(1024, symbols_.size() * 2);
}

}  // namespace fedra::dra
