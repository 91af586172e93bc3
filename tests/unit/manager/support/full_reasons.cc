#include "tests/unit/manager/support/full_reasons.h"

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "verdict/fact_fields.h"
#include "verdict/reason_facts.h"

namespace fedra::testing {
namespace {

using verdict::ForEachField;

struct Filler {
  static void Fill(std::string& text) { text = "some"; }
  static void Fill(bool& flag) { flag = true; }
  template <std::integral Integer>
  static void Fill(Integer& number) {
    number = 1;
  }
  static void Fill(Quantity& amount) { amount = Quantity::Parse("1").value(); }
  static void Fill(WallTime& time) { time = WallTime(std::chrono::seconds(1'795'536'000)); }
  static void Fill(verdict::ReasonCode&) {}
  template <verdict::NamedEnum Enum>
  static void Fill(Enum&) {}
  template <class T>
  static void Fill(std::optional<T>& value) {
    Fill(value.emplace());
  }
  template <class T>
  static void Fill(std::vector<T>& values) {
    Fill(values.emplace_back());
  }
  template <class T>
  static void Fill(std::map<std::string, T>& values) {
    Fill(values["some"]);
  }
  template <class T>
    requires std::is_class_v<T>
  static void Fill(T& facts) {
    ForEachField(facts, [](std::string_view, auto& field) { Fill(field); });
  }
};

template <size_t... I>
std::vector<verdict::Facts> AllFacts(std::index_sequence<I...>) {
  std::vector<verdict::Facts> all;
  const auto add = [&]<class T>(T facts) {
    Filler::Fill(facts);
    all.emplace_back(std::move(facts));
  };
  (add(std::variant_alternative_t<I, verdict::Facts::Variant>()), ...);
  return all;
}

}  // namespace

std::vector<verdict::Reason> FullReasons() {
  std::vector<verdict::Reason> reasons;
  for (verdict::Facts& facts :
       AllFacts(std::make_index_sequence<std::variant_size_v<verdict::Facts::Variant>>())) {
    verdict::Reason& reason = reasons.emplace_back();
    for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue())
      if (verdict::AreOf(facts, entry.code)) reason.code = entry.code;
    reason.object = "Object some";
    reason.facts = std::move(facts);
    Filler::Fill(reason.new_nodes);
  }
  return reasons;
}

}  // namespace fedra::testing
