#include "dra/judge/selector_advice.h"

#include <set>

#include "base/text.h"

namespace fedra::dra {
namespace {

constexpr size_t kMaxAdviceShown = 400;
constexpr size_t kMaxNamesShown = 8;

// The values that the devices of a cluster publish.
struct Published {
  bool has = false;                    // the value that was asked about
  std::set<std::string> of_domain;     // "model", "memory (capacity)": in its domain
  std::set<std::string> with_domains;  // "gpu.example.com/model", ...: all
};

Published Collect(const cel::MissingValue& missing, const Snapshot& snapshot) {
  Published published;
  const auto add = [&](std::string_view table, const Symbol& name, const Symbol& driver) {
    const std::string_view text = name.view();
    const size_t slash = text.find('/');
    const bool qualified = slash != std::string_view::npos;
    const std::string domain(qualified ? text.substr(0, slash) : driver.view());
    const std::string bare(qualified ? text.substr(slash + 1) : text);
    const std::string behind = table == "capacity" ? " (capacity)" : "";
    published.has = published.has ||
                    (table == missing.table && domain == missing.domain && bare == missing.name);
    if (domain == missing.domain) published.of_domain.insert(bare + behind);
    published.with_domains.insert(domain + "/" + bare + behind);
  };
  snapshot.pools().ForEach([&](const PoolKey& key, const auto& pool) {
    for (const auto& slice : pool->slices) {
      for (const Device& device : slice->devices) {
        if (device.common)
          for (const Attribute& attribute : *device.common)
            add("attributes", attribute.name, key.driver);
        for (const Attribute& attribute : device.own) add("attributes", attribute.name, key.driver);
        if (device.capacity)
          for (const Capacity& capacity : *device.capacity)
            add("capacity", capacity.name, key.driver);
      }
    }
  });
  return published;
}

std::string Listed(const std::set<std::string>& names) {
  std::string text;
  size_t shown = 0;
  for (const std::string& name : names) {
    if (shown++ == kMaxNamesShown) break;
    text += (text.empty() ? "" : ", ") + name;
  }
  if (names.size() > kMaxNamesShown)
    text += " and " + std::to_string(names.size() - kMaxNamesShown) + " more";
  return text;
}

}  // namespace

std::string AdviceBehind(const SelectorFailure& failure, const Snapshot& snapshot) {
  if (failure.missing) {
    const cel::MissingValue& missing = *failure.missing;
    const Published published = Collect(missing, snapshot);
    if (!published.has) {
      const bool known_domain = !published.of_domain.empty();
      const std::string what =
          std::string(missing.table == "capacity" ? "capacity" : "attribute") + " `" +
          Cut(missing.name, kMaxAdviceShown) + "`" +
          (known_domain ? "" : " of domain " + Cut(missing.domain, kMaxAdviceShown));
      const std::string names = Listed(known_domain ? published.of_domain : published.with_domains);
      return "; no device has " + what +
             (names.empty() ? "; none publishes any attribute or capacity"
                            : "; published are: " + names);
    }
  }
  if (failure.advice.empty()) return {};
  // Below the caret that marks the place.
  return (failure.compile_error ? "\n" : "; ") + Cut(failure.advice, kMaxAdviceShown);
}

}  // namespace fedra::dra
