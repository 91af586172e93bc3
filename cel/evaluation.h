#pragma once
//
// Evaluation: what one evaluation owns while it runs: its memory, its cost, and whether it was
// aborted. The implementations of functions get one and create their results with it.
//
// Two kinds of error: an error value travels like any other value and may be absorbed by && || all
// exists; an abort (cost limit, memory limit, a key that Go cannot hash) ends the evaluation
// whatever the operators around it are.
//
// Thread rules: one evaluation belongs to one thread.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cel/arena.h"
#include "cel/value.h"

namespace fedra::cel {

class Evaluation {
 public:
  // Memory that one evaluation may claim.
  static constexpr size_t kMemoryLimit = size_t{64} << 20;
  // Visits of parts of values that cel-go does not charge for: ten for each unit of the API's limit
  // of the cost. No answer within that limit needs as many, unless it is made for it.
  static constexpr uint64_t kStepLimit = 10'000'000;

  Evaluation(Arena& arena, uint64_t cost_limit) : arena_(arena), cost_limit_(cost_limit) {}

  Arena& arena() { return arena_; }

  uint64_t cost() const { return cost_; }
  void AddCost(uint64_t cost) { cost_ += cost; }
  // Takes back what was charged for a step that turned out not to happen.
  void RefundCost(uint64_t cost) { cost_ -= cost; }
  bool over_limit() const { return cost_ > cost_limit_ || steps_.exhausted(); }
  Steps& steps() { return steps_; }

  bool aborted() const { return aborted_; }
  // `message` must outlive the evaluation's result (a literal, or from the arena).
  Value Abort(std::string_view message);

  // An error with a text that is copied.
  Value Error(std::string_view message);
  Value NoSuchOverload() const { return Value::Error("no such overload"); }

  // Copies. An abort when memory runs out.
  Value String(std::string_view text);
  Value Bytes(std::string_view bytes);
  Value List(std::span<const Value> items);
  Value Optional(const Value& content);

  // For results that are built in place; nullptr when memory runs out (then return OutOfMemory()).
  Value* NewItems(size_t count) { return arena_.AllocateArray<Value>(count); }
  char* NewText(size_t size) { return arena_.AllocateArray<char>(size); }
  Value OutOfMemory() { return Abort("operation cancelled: memory limit exceeded"); }
  Value CostLimitExceeded() { return Abort("operation cancelled: actual cost limit exceeded"); }

 private:
  Arena& arena_;
  const uint64_t cost_limit_;
  uint64_t cost_ = 0;
  Steps steps_{kStepLimit};
  bool aborted_ = false;
};

// A list that grows in the arena.
class ListBuilder final {
 public:
  explicit ListBuilder(Evaluation& evaluation) : evaluation_(evaluation) {}

  // False when memory ran out.
  bool Add(const Value& value);
  // The list; an abort if memory ran out.
  Value Finish();

 private:
  Evaluation& evaluation_;
  Value* items_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  bool failed_ = false;
};

// A map that grows in the arena, with an index once it is larger than a handful of entries.
class MapBuilder final {
 public:
  explicit MapBuilder(Evaluation& evaluation) : evaluation_(evaluation) {}

  // Sets or replaces, or, with kInsertOnly, leaves an existing entry alone and says kExists.
  enum class Mode : uint8_t { kReplace, kInsertOnly };
  enum class Outcome : uint8_t { kDone, kExists, kUnhashable, kOutOfMemory };
  Outcome Put(const Value& key, const Value& value, Mode mode);
  void Remove(const Value& key);
  Value Finish();

 private:
  MapValue View() const { return {{entries_, size_}, false, false, index_, slots_}; }
  MapEntry* Find(const Value& key);
  void AddToIndex(size_t number);
  bool Grow();

  Evaluation& evaluation_;
  MapEntry* entries_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  uint32_t* index_ = nullptr;  // as MapValue::index
  uint32_t slots_ = 0;
};

// What cel-go says when a map is asked for a key that Go cannot hash.
Value UnhashableKey(Evaluation& evaluation, const Value& key);

// How a value is shown inside error texts ("no such key: model"); cut after a kilobyte.
std::string ErrorText(const Value& value);

}  // namespace fedra::cel
