#pragma once
//
// Symbol: an immutable string that is stored once however often it is named. Device, pool, driver
// and attribute names repeat hundreds of thousands of times in a fleet; a Symbol is one pointer.
//
// Thread rules: Symbol is a plain value with an atomic reference count; copy and compare from any
// thread. SymbolPool is not thread-safe: one per worker cluster, used by the code that parses its
// objects. Lifetime: a Symbol outlives its pool.

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace fedra::dra {

class Symbol final {
 public:
  Symbol() = default;  // the empty string
  explicit Symbol(std::string_view text);
  Symbol(const Symbol& other) noexcept : entry_(other.entry_) { Retain(); }
  Symbol(Symbol&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  Symbol& operator=(Symbol other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  ~Symbol() { Release(); }

  std::string_view view() const {
    return entry_ ? std::string_view(entry_->text(), entry_->size) : std::string_view();
  }
  std::string str() const { return std::string(view()); }
  bool empty() const { return entry_ == nullptr; }
  uint64_t hash() const;

  // By content; equal pointers are the quick way, not the meaning.
  bool operator==(const Symbol& other) const {
    return entry_ == other.entry_ || (hash() == other.hash() && view() == other.view());
  }
  bool operator==(std::string_view other) const { return view() == other; }
  std::strong_ordering operator<=>(const Symbol& other) const {
    return entry_ == other.entry_ ? std::strong_ordering::equal : view() <=> other.view();
  }

 private:
  friend class SymbolPool;
  // One allocation: the characters follow. Never empty.
  struct Entry {
    uint64_t hash;
    std::atomic<uint32_t> references{1};
    uint32_t size;

    char* text() { return reinterpret_cast<char*>(this + 1); }
  };
  static Entry* NewEntry(std::string_view text);
  static void Delete(Entry* entry) noexcept;

  void Retain() const noexcept {
    if (entry_) entry_->references.fetch_add(1, std::memory_order_relaxed);
  }
  void Release() noexcept {
    if (entry_ && entry_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) Delete(entry_);
  }

  Entry* entry_ = nullptr;
};

struct SymbolHash {
  using is_transparent = void;
  size_t operator()(const Symbol& text) const { return text.hash(); }
  size_t operator()(std::string_view text) const;
};
struct SymbolEqual {
  using is_transparent = void;
  bool operator()(const Symbol& a, const Symbol& b) const { return a == b; }
  bool operator()(const Symbol& a, std::string_view b) const { return a == b; }
  bool operator()(std::string_view a, const Symbol& b) const { return b == a; }
};

class SymbolPool final {
 public:
  // The one Symbol for this content. Forgets symbols without references whenever the pool has
  // doubled, so that churning objects do not make it grow.
  Symbol Intern(std::string_view text);
  size_t size() const { return symbols_.size(); }

 private:
  void DropUnused();

  std::unordered_set<Symbol, SymbolHash, SymbolEqual> symbols_;
  size_t next_cleanup_ = 1024;
};

}  // namespace fedra::dra

template <>
struct std::hash<fedra::dra::Symbol> {
  size_t operator()(const fedra::dra::Symbol& text) const noexcept { return text.hash(); }
};
