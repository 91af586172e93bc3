#include "cel/device.h"

#include <algorithm>
#include <map>

#include "base/quantity.h"
#include "base/semver.h"
#include "cel/device_data.h"

namespace fedra::cel {
namespace {

// "domain/id", or "id" in the domain of the driver. The first slash counts.
struct DomainAndId {
  std::string_view domain;
  std::string_view id;
  bool qualified;
};

DomainAndId Split(std::string_view name, std::string_view driver) {
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return {driver, name, false};
  return {name.substr(0, slash), name.substr(slash + 1), true};
}

class Converter final {
 public:
  Converter(const DeviceInput& input, DeviceData& data)
      : input_(input), data_(data), driver_(data.arena.Copy(input.driver)) {}

  void Run() {
    data_.driver = Value::String(driver_);
    for (const auto& [name, value] : input_.attributes) AddAttribute(name, value);
    for (const auto& [name, text] : input_.capacity) AddCapacity(name, text);
    const MapEntry fields[] = {{Value::String("driver"), data_.driver},
                               {Value::String("allowMultipleAllocations"),
                                Value::Bool(input_.allow_multiple_allocations.value_or(false))},
                               {Value::String("attributes"), ByDomain(data_.attributes)},
                               {Value::String("capacity"), ByDomain(data_.capacity)}};
    data_.device = NewMap(fields, false);
  }

 private:
  // Only the first complaint is kept: the scheduler sees one, too.
  static void Poison(std::string& reason, std::string_view name, std::string_view why) {
    if (reason.empty()) reason = "attribute " + std::string(name) + ": " + std::string(why);
  }

  void AddAttribute(std::string_view name, const AttributeValue& attribute) {
    Value value;
    if (std::holds_alternative<std::monostate>(attribute)) {
      return Poison(data_.poison, name, "unsupported attribute value");
    }
    if (attribute.index() >= kFirstList)
      Poison(data_.list_poison, name, "unsupported attribute value");
    if (!Convert(name, attribute, value)) return;
    Set(data_.attributes, name, value);
  }

  static constexpr size_t kFirstList = 5;  // index in AttributeValue

  bool Convert(std::string_view name, const AttributeValue& attribute, Value& value) {
    if (const auto* number = std::get_if<int64_t>(&attribute)) {
      value = Value::Int(*number);
    } else if (const auto* truth = std::get_if<bool>(&attribute)) {
      value = Value::Bool(*truth);
    } else if (const auto* text = std::get_if<std::string>(&attribute)) {
      value = Value::String(data_.arena.Copy(*text));
    } else if (const auto* version = std::get_if<VersionText>(&attribute)) {
      return ConvertVersion(name, version->text, value);
    } else {
      return ConvertList(name, attribute, value);
    }
    return true;
  }

  bool ConvertVersion(std::string_view name, const std::string& text, Value& value) {
    auto version = Semver::Parse(text);
    if (!version) {
      Poison(data_.poison, name, "parse semantic version: " + version.error().message);
      return false;
    }
    value = Value::Semver(data_.arena.New<Semver>(std::move(*version)));
    return true;
  }

  bool ConvertList(std::string_view name, const AttributeValue& attribute, Value& value) {
    std::vector<Value> items;
    bool valid = true;
    if (const auto* numbers = std::get_if<std::vector<int64_t>>(&attribute)) {
      for (const int64_t number : *numbers) items.push_back(Value::Int(number));
    } else if (const auto* truths = std::get_if<std::vector<bool>>(&attribute)) {
      for (const bool truth : *truths) items.push_back(Value::Bool(truth));
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute)) {
      for (const std::string& text : *texts) items.push_back(Value::String(data_.arena.Copy(text)));
    } else {
      for (const VersionText& version : std::get<std::vector<VersionText>>(attribute)) {
        Value item;
        valid = valid && ConvertVersion(name, version.text, item);
        items.push_back(item);
      }
    }
    auto* kept = data_.arena.AllocateArray<Value>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), kept);
    value = Value::List({kept, items.size()});
    return valid;
  }

  void AddCapacity(std::string_view name, const std::string& text) {
    const auto quantity = Quantity::Parse(text);
    if (!quantity) {
      if (data_.poison.empty())
        data_.poison = "capacity " + std::string(name) + ": " + quantity.error().message;
      return;
    }
    Set(data_.capacity, name, Value::Quantity(data_.arena.New<Quantity>(*quantity)));
  }

  void Set(DomainTable& table, std::string_view name, const Value& value) {
    const DomainAndId split = Split(name, driver_);
    const uint64_t hash = DomainTable::Hash(split.domain, split.id);
    if (table.Find(hash, split.domain, split.id) != nullptr) {
      data_.ambiguous_names.push_back(std::string(split.domain) + "/" + std::string(split.id));
      if (!split.qualified) return;  // the qualified spelling wins
    }
    const std::string_view domain = split.qualified ? data_.arena.Copy(split.domain) : driver_;
    table.Set(domain, data_.arena.Copy(split.id), value);
  }

  Value NewMap(std::span<const MapEntry> entries, bool default_empty) {
    auto* kept = data_.arena.AllocateArray<MapEntry>(entries.size());
    std::uninitialized_copy(entries.begin(), entries.end(), kept);
    MapValue map;
    map.entries = {kept, entries.size()};
    map.default_empty = default_empty;
    map.native = true;
    return Value::Map(data_.arena.New<MapValue>(map));
  }

  // The two-level map that expressions see when they do more than look up one constant name.
  Value ByDomain(const DomainTable& table) {
    std::map<std::string_view, std::vector<MapEntry>> domains;
    for (const DomainTable::Entry& entry : table.entries()) {
      domains[entry.domain].push_back({Value::String(entry.name), entry.value});
    }
    std::vector<MapEntry> outer;
    for (const auto& [domain, entries] : domains) {
      outer.push_back({Value::String(domain), NewMap(entries, false)});
    }
    return NewMap(outer, true);
  }

  const DeviceInput& input_;
  DeviceData& data_;
  const std::string_view driver_;
};

}  // namespace

void DomainTable::Set(std::string_view domain, std::string_view name, const Value& value) {
  for (Entry& entry : entries_) {
    if (entry.domain == domain && entry.name == name) {
      entry.value = value;
      return;
    }
  }
  hashes_.push_back(Hash(domain, name));
  entries_.push_back({domain, name, value});
}

Device::Device(const DeviceInput& input) {
  auto data = std::make_shared<DeviceData>();
  Converter(input, *data).Run();
  data_ = std::move(data);
}

std::string_view Device::poison(bool list_attributes) const {
  if (!data_->poison.empty() || list_attributes) return data_->poison;
  return data_->list_poison;
}

const std::vector<std::string>& Device::ambiguous_names() const { return data_->ambiguous_names; }

}  // namespace fedra::cel
