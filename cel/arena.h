#pragma once
//
// Arena: the memory of one evaluation, one compiled program or one device. Values point into it and
// are never freed one by one.
//
// Allocation is a pointer bump; a caller may lend a first block (on its stack), so that an
// evaluation that creates little touches no heap. A limit bounds what a hostile expression can
// claim: when it is reached, Allocate() returns nullptr and exhausted() stays true.
//
// Thread rules: one thread at a time; what was allocated may be read from any thread afterwards.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fedra::cel {

class Arena final {
 public:
  static constexpr size_t kNoLimit = SIZE_MAX;

  explicit Arena(size_t limit = kNoLimit) : limit_(limit) {}
  // `block` must outlive the arena.
  Arena(char* block, size_t size, size_t limit) : next_(block), end_(block + size), limit_(limit) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    for (auto destroy = owned_.rbegin(); destroy != owned_.rend(); ++destroy)
      destroy->second(destroy->first);
  }

  // Aligned to 16 bytes. nullptr when the limit is reached.
  void* Allocate(size_t size) {
    if (size > kNoLimit - 15) return Exhaust();
    size = size == 0 ? 16 : (size + 15) & ~size_t{15};  // never nullptr for nothing
    if (size > static_cast<size_t>(end_ - next_) && !Grow(size)) return Exhaust();
    char* result = next_;
    next_ += size;
    return result;
  }

  template <class T>
  T* AllocateArray(size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 16);
    if (count > kNoLimit / sizeof(T)) return static_cast<T*>(Exhaust());
    return static_cast<T*>(Allocate(count * sizeof(T)));
  }

  template <class T, class... Args>
  T* New(Args&&... args) {
    void* memory = Allocate(sizeof(T));
    if (memory == nullptr) return nullptr;
    T* object = new (memory) T{std::forward<Args>(args)...};
    if constexpr (!std::is_trivially_destructible_v<T>) {
      owned_.emplace_back(object, [](void* owned) { static_cast<T*>(owned)->~T(); });
    }
    return object;
  }

  // A copy that lives as long as the arena; data() is nullptr when the limit is reached.
  std::string_view Copy(std::string_view text) {
    char* memory = static_cast<char*>(Allocate(text.size()));
    if (memory == nullptr) return {};
    if (!text.empty()) std::memcpy(memory, text.data(), text.size());
    return {memory, text.size()};
  }

  bool exhausted() const { return exhausted_; }
  // Heap memory held, without the lent block.
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kFirstBlock = 1024;
  static constexpr size_t kLargestBlock = size_t{1} << 20;

  void* Exhaust() {
    exhausted_ = true;
    return nullptr;
  }

  bool Grow(size_t size) {
    if (size > limit_ || bytes_ > limit_ - size) return false;
    block_size_ = block_size_ == 0 ? kFirstBlock : std::min(block_size_ * 2, kLargestBlock);
    const size_t block = std::max(size, std::min(block_size_, limit_ - bytes_));
    blocks_.push_back(std::unique_ptr<char[]>(new char[block]));  // new char[] aligns to 16
    bytes_ += block;
    next_ = blocks_.back().get();
    end_ = next_ + block;
    return true;
  }

  char* next_ = nullptr;
  char* end_ = nullptr;
  size_t block_size_ = 0;
  size_t bytes_ = 0;
  const size_t limit_;
  bool exhausted_ = false;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<std::pair<void*, void (*)(void*)>> owned_;
};

}  // namespace fedra::cel
