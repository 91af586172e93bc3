#include "dra/model/parse_common.h"

#include <algorithm>

namespace fedra::dra {
namespace {

std::vector<NodeRequirement> ReadRequirements(const Fields& term, const char* key,
                                              SymbolPool& symbols) {
  std::vector<NodeRequirement> requirements;
  term.ForEachObject(key, kMaxItems, [&](const Fields& field) {
    NodeRequirement requirement{.key = symbols.Intern(field.String("key")),
                                .op = symbols.Intern(field.String("operator")),
                                .values = {}};
    field.ForEachString("values", kMaxDevices, [&](std::string_view value) {
      requirement.values.push_back(symbols.Intern(value));
    });
    requirements.push_back(std::move(requirement));
  });
  return requirements;
}

uint64_t HashOf(const NodeSelector& selector) {
  uint64_t hash = selector.terms.size();
  for (const NodeSelectorTerm& term : selector.terms) {
    for (const auto* list : {&term.expressions, &term.fields}) {
      for (const NodeRequirement& requirement : *list) {
        hash = hash * 31 + requirement.key.hash();
        for (const Symbol& value : requirement.values) hash = hash * 31 + value.hash();
      }
    }
  }
  return hash;
}

TaintEffect EffectOf(std::string_view text) {
  if (text == "NoSchedule") return TaintEffect::kNoSchedule;
  if (text == "NoExecute") return TaintEffect::kNoExecute;
  return TaintEffect::kOther;
}

}  // namespace

void CheckApiVersion(const Fields& object, Problem& problem) {
  const std::string_view version = object.String("apiVersion");
  if (version.starts_with("resource.k8s.io/v1alpha")) {
    problem.Add(ErrorCode::kApiMissing,
                std::string(version) + " is not read; use resource.k8s.io/v1");
  }
}

ObjectKey ReadKey(const Fields& metadata) {
  return {.ns = std::string(metadata.String("namespace")),
          .name = std::string(metadata.String("name"))};
}

void ReadSelectors(const Fields& owner, std::vector<Symbol>& expressions, std::vector<bool>& is_cel,
                   SymbolPool& symbols) {
  owner.ForEachObject("selectors", kMaxItems, [&](const Fields& selector) {
    is_cel.push_back(selector.Has("cel"));
    expressions.push_back(symbols.Intern(selector.Object("cel").String("expression")));
  });
}

std::shared_ptr<const NodeSelector> ReadNodeSelector(const Fields& owner, const char* key,
                                                     ParseContext& context) {
  if (!owner.Has(key)) return nullptr;
  NodeSelector selector;
  const Fields field = owner.Object(key);
  field.ForEachObject("nodeSelectorTerms", kMaxItems, [&](const Fields& term) {
    selector.terms.push_back(
        {.expressions = ReadRequirements(term, "matchExpressions", context.symbols),
         .fields = ReadRequirements(term, "matchFields", context.symbols)});
  });
  const uint64_t hash = HashOf(selector);
  return context.node_selectors.Intern(std::move(selector), hash);
}

bool HasEntries(const Fields& owner, const char* key) {
  bool any = false;
  owner.ForEachString(key, kMaxItems, [&](std::string_view) { any = true; });
  return any;
}

Taint ReadTaint(const Fields& taint, SymbolPool& symbols) {
  const std::string_view effect = taint.String("effect");
  return {.key = symbols.Intern(taint.String("key")),
          .value = symbols.Intern(taint.String("value")),
          .effect = EffectOf(effect),
          .effect_text = symbols.Intern(effect),
          .rule = {}};
}

std::vector<std::pair<Symbol, Quantity>> ReadQuantities(const Fields& owner, const char* key,
                                                        SymbolPool& symbols) {
  std::vector<std::pair<Symbol, Quantity>> quantities;
  owner.ForEachQuantity(key, kMaxItems, [&](std::string_view name, const Quantity& value) {
    quantities.emplace_back(symbols.Intern(name), value);
  });
  std::sort(quantities.begin(), quantities.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return quantities;
}

}  // namespace fedra::dra
