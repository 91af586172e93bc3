#include "verdict/reason_hash.h"

#include <charconv>
#include <string>
#include <utility>

#include "base/hash.h"
#include "verdict/fact_fields.h"

namespace fedra::verdict {
namespace {

// Goes through all fields. Each text ends with a line break, so that neighbours do not run together.
class FactHash final {
 public:
  FactHash(uint64_t seed, bool with_holders) : hash_(seed), with_holders_(with_holders) {}

  uint64_t hash() const { return hash_; }

  void Add(std::string_view text) { hash_ = Hash64("\n", Hash64(text, hash_)); }
  void Add(const std::string& text) { Add(std::string_view(text)); }
  template <std::integral Integer>
  void Add(Integer number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, static_cast<int64_t>(number));
    Add(std::string_view(digits, static_cast<size_t>(end.ptr - digits)));
  }
  void Add(const Quantity& amount) { Add(amount.ToString()); }
  void Add(WallTime time) { Add(time.time_since_epoch().count()); }
  void Add(ReasonCode code) { Add(ToString(code)); }
  template <NamedEnum Enum>
  void Add(Enum value) {
    Add(NamesOf(value)[static_cast<size_t>(value)]);
  }
  template <class T>
  void Add(const std::optional<T>& value) {
    Add(value.has_value());
    if (value) Add(*value);
  }
  template <class T>
  void Add(const std::vector<T>& values) {
    Add(values.size());
    for (const T& value : values) Add(value);
  }
  template <class T>
  void Add(const std::map<std::string, T>& values) {
    Add(values.size());
    for (const auto& [key, value] : values) {
      Add(key);
      Add(value);
    }
  }
  void Add(const std::vector<Holder>& holders) {
    if (!with_holders_) return;
    for (const Holder& holder : holders) AddFields(holder);
  }
  template <class T>
    requires std::is_class_v<T>
  void Add(const T& facts) {
    AddFields(facts);
  }

 private:
  template <class T>
  void AddFields(const T& facts) {
    ForEachField(facts, [this](std::string_view, const auto& field) { this->Add(field); });
  }

  uint64_t hash_;
  const bool with_holders_;
};

uint64_t HashReason(const Reason& reason, FactHash hash) {
  hash.Add(reason.code);
  hash.Add(reason.object);
  hash.Add(kFactTypes[reason.facts.index()]);
  std::visit([&](const auto& facts) { hash.Add(facts); }, reason.facts);
  hash.Add(reason.new_nodes);
  return hash.hash();
}

}  // namespace

uint64_t HashOf(const Reason& reason, uint64_t seed) {
  return HashReason(reason, FactHash(seed, true));
}

uint64_t HashWithoutHolders(const Reason& reason, uint64_t seed) {
  return HashReason(reason, FactHash(seed, false));
}

}  // namespace fedra::verdict
