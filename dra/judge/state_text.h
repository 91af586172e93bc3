#pragma once
//
// Names and numbers, one after the other, as a key: equal for equal ones only.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace fedra::dra {

class StateText {
 public:
  void AddName(std::string_view name) { (text_ += name) += '\n'; }
  void Add(uint64_t number) { (text_ += std::to_string(number)) += ' '; }
  // Of something that lives as long as the key is of use.
  void AddAddress(const void* object) { Add(uint64_t{reinterpret_cast<uintptr_t>(object)}); }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace fedra::dra
