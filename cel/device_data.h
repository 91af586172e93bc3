#pragma once
//
// The converted form of a device, for the evaluator.
//
// Thread rules: immutable after construction by Device.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "cel/arena.h"
#include "cel/value.h"

namespace fedra::cel {

// Everything under one of the two-level maps of a device, flat: a handful of entries, searched by
// hash.
class DomainTable final {
 public:
  struct Entry {
    std::string_view domain;
    std::string_view name;
    Value value;
  };

  static uint64_t Hash(std::string_view domain, std::string_view name) {
    return Hash64(name, Hash64("/", Hash64(domain)));
  }

  // The texts must outlive the table. Replaces an entry with the same domain and name.
  void Set(std::string_view domain, std::string_view name, const Value& value);

  const Value* Find(uint64_t hash, std::string_view domain, std::string_view name) const {
    for (size_t i = 0; i < hashes_.size(); ++i) {
      if (hashes_[i] == hash && entries_[i].name == name && entries_[i].domain == domain) {
        return &entries_[i].value;
      }
    }
    return nullptr;
  }

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<uint64_t> hashes_;
  std::vector<Entry> entries_;
};

struct DeviceData {
  Arena arena;
  DomainTable attributes;
  DomainTable capacity;
  Value driver;
  // The variable `device`: a map of driver, allowMultipleAllocations, attributes and capacity.
  Value device;
  // Why no selector can be evaluated: a bad value, and, without the list gate, a list value.
  std::string poison;
  std::string list_poison;
  std::vector<std::string> ambiguous_names;
};

}  // namespace fedra::cel
