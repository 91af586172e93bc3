#include "cel/evaluation.h"

#include <algorithm>
#include <memory>

#include "cel/bounded_text.h"
#include "cel/display.h"

namespace fedra::cel {
namespace {

constexpr size_t kLinearEntries = 8;
constexpr size_t kLongestErrorText = 1024;

}  // namespace

Value Evaluation::Abort(std::string_view message) {
  aborted_ = true;
  return Value::Error(message);
}

Value Evaluation::Error(std::string_view message) {
  const std::string_view copy = arena_.Copy(message);
  return copy.data() == nullptr ? OutOfMemory() : Value::Error(copy);
}

Value Evaluation::String(std::string_view text) {
  const std::string_view copy = arena_.Copy(text);
  return copy.data() == nullptr ? OutOfMemory() : Value::String(copy);
}

Value Evaluation::Bytes(std::string_view bytes) {
  const std::string_view copy = arena_.Copy(bytes);
  return copy.data() == nullptr ? OutOfMemory() : Value::Bytes(copy);
}

Value Evaluation::List(std::span<const Value> items) {
  Value* copy = NewItems(items.size());
  if (copy == nullptr) return OutOfMemory();
  std::uninitialized_copy(items.begin(), items.end(), copy);
  return Value::List({copy, items.size()});
}

Value Evaluation::Optional(const Value& content) {
  const Value* copy = arena_.New<Value>(content);
  return copy == nullptr ? OutOfMemory() : Value::Optional(copy);
}

bool ListBuilder::Add(const Value& value) {
  if (failed_) return false;
  if (size_ == capacity_) {
    const size_t capacity = capacity_ == 0 ? 8 : capacity_ * 2;
    Value* items = evaluation_.NewItems(capacity);
    if (items == nullptr) {
      failed_ = true;
      return false;
    }
    std::uninitialized_copy(items_, items_ + size_, items);
    items_ = items;
    capacity_ = capacity;
  }
  items_[size_++] = value;
  return true;
}

Value ListBuilder::Finish() {
  return failed_ ? evaluation_.OutOfMemory() : Value::List({items_, size_});
}

MapEntry* MapBuilder::Find(const Value& key) {
  const MapEntry* entry = FindEntry(View(), key, evaluation_.steps());
  return entry == nullptr || entry->key.kind() != key.kind() ? nullptr
                                                             : &entries_[entry - entries_];
}

void MapBuilder::AddToIndex(size_t number) {
  uint32_t slot = FirstSlot(entries_[number].key, slots_);
  while (index_[slot] != 0) slot = (slot + 1) % slots_;
  index_[slot] = static_cast<uint32_t>(number + 1);
}

bool MapBuilder::Grow() {
  const size_t capacity = capacity_ == 0 ? kLinearEntries : capacity_ * 2;
  auto* entries = evaluation_.arena().AllocateArray<MapEntry>(capacity);
  if (entries == nullptr) return false;
  std::uninitialized_copy(entries_, entries_ + size_, entries);
  entries_ = entries;
  capacity_ = capacity;
  if (capacity <= kLinearEntries) return true;
  slots_ = static_cast<uint32_t>(capacity * 2);
  index_ = evaluation_.arena().AllocateArray<uint32_t>(slots_);
  if (index_ == nullptr) return false;
  std::fill(index_, index_ + slots_, 0U);
  for (size_t i = 0; i < size_; ++i) AddToIndex(i);
  return true;
}

MapBuilder::Outcome MapBuilder::Put(const Value& key, const Value& value, Mode mode) {
  if (!IsHashable(key)) return Outcome::kUnhashable;
  if (MapEntry* entry = Find(key)) {
    if (mode == Mode::kInsertOnly) return Outcome::kExists;
    entry->value = value;
    return Outcome::kDone;
  }
  if (size_ == capacity_ && !Grow()) return Outcome::kOutOfMemory;
  entries_[size_] = {key, value};
  if (index_ != nullptr) AddToIndex(size_);
  ++size_;
  return Outcome::kDone;
}

void MapBuilder::Remove(const Value& key) {
  MapEntry* entry = Find(key);
  if (entry == nullptr) return;
  std::copy(entry + 1, entries_ + size_, entry);
  --size_;
  if (index_ == nullptr) return;
  std::fill(index_, index_ + slots_, 0U);
  for (size_t i = 0; i < size_; ++i) AddToIndex(i);
}

Value MapBuilder::Finish() {
  const MapValue* map = evaluation_.arena().New<MapValue>(View());
  return map == nullptr ? evaluation_.OutOfMemory() : Value::Map(map);
}

Value UnhashableKey(Evaluation& evaluation, const Value& key) {
  const std::string_view type = key.is(Kind::kSemver)  ? "cel.Semver"
                                : key.is(Kind::kBytes) ? "types.Bytes"
                                                       : "cel.Format";
  evaluation.Abort("");
  return evaluation.Error("internal error: runtime error: hash of unhashable type " +
                          std::string(type));
}

std::string ErrorText(const Value& value) {
  BoundedText text(kLongestErrorText);
  AppendDisplayText(value, text);
  return std::move(text).Take();
}

}  // namespace fedra::cel
