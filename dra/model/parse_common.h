#pragma once
//
// What the parse_*.cc files of this folder share.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dra/model/parse.h"
#include "dra/model/parse_fields.h"

namespace fedra::dra {

// Remembers an error if the object says it is of an alpha version of resource.k8s.io.
void CheckApiVersion(const Fields& object, Problem& problem);

ObjectKey ReadKey(const Fields& metadata);

// `selectors`: the CEL texts, and for each entry whether it is CEL at all.
void ReadSelectors(const Fields& owner, std::vector<Symbol>& expressions, std::vector<bool>& is_cel,
                   SymbolPool& symbols);

// A core/v1 NodeSelector below `key`; null when absent.
std::shared_ptr<const NodeSelector> ReadNodeSelector(const Fields& owner, const char* key,
                                                     ParseContext& context);

// Whether `key` is a list with entries: skipNodeOperations.
bool HasEntries(const Fields& owner, const char* key);

Taint ReadTaint(const Fields& taint, SymbolPool& symbols);

// Sorted by name; `key` is a map of quantities.
std::vector<std::pair<Symbol, Quantity>> ReadQuantities(const Fields& owner, const char* key,
                                                        SymbolPool& symbols);

}  // namespace fedra::dra
