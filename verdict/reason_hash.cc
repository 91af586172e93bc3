#include "verdict/reason_hash.h"

#include <charconv>
#include <string>
#include <utility>

#include "base/hash.h"
#include "verdict/fact_fields.h"

namespace fedra::verdict {
namespace {

enum class With { kAll, kLasting };

bool IsAboutHolders(std::string_view name) { return name == "holders" || name == "allHolders"; }

// Goes through all fields. Each part ends with a line break, so that neighbours do not run
// together. A field is hashed with its name, and only when it says something: one that a later
// release adds does not change the hash of facts that leave it empty.
class FactHash final {
 public:
  FactHash(uint64_t seed, With with) : hash_(seed), with_(with) {}

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
  template <class T>
    requires std::is_class_v<T>
  void Add(const T& facts) {
    AddFields(facts);
  }

 private:
  template <class T>
  void AddFields(const T& facts) {
    ForEachField(facts, [this](std::string_view name, const auto& field) {
      using Field = std::remove_cvref_t<decltype(field)>;
      const bool is_time =
          std::same_as<Field, WallTime> || std::same_as<Field, std::optional<WallTime>>;
      if (with_ == With::kLasting && (is_time || IsAboutHolders(name))) return;
      if (field == Field{}) return;
      Add(name);
      this->Add(field);
    });
    Add(std::string_view("}"));
  }

  uint64_t hash_;
  const With with_;
};

uint64_t HashReason(const Reason& reason, FactHash hash) {
  hash.Add(reason.code);
  hash.Add(reason.object);
  hash.Add(kFactTypes[reason.facts.index()]);
  std::visit([&](const auto& facts) { hash.Add(facts); }, reason.facts);
  if (reason.new_nodes) hash.Add(*reason.new_nodes);
  return hash.hash();
}

}  // namespace

uint64_t HashOf(const Reason& reason, uint64_t seed) {
  return HashReason(reason, FactHash(seed, With::kAll));
}

uint64_t LastingHash(const Reason& reason, uint64_t seed) {
  return HashReason(reason, FactHash(seed, With::kLasting));
}

}  // namespace fedra::verdict
