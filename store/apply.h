#pragma once
//
// From a Change to the statements of its table.
//
// Thread rules: those of the connection.

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/changes.h"
#include "store/connection.h"

namespace fedra::store {

// May leave a part of the change behind when it fails: callers have a savepoint or a transaction
// around it. Attempts that end by it are added to `ended`.
Result<void> Apply(Connection& db, const Change& change, std::vector<EndedAttempt>& ended);

// Which row the change is about: of two waiting changes with one key the later says it all
// (Supersede). Empty for history (events, beginnings of attempts), of which every piece counts
// and whose order does not.
std::string KeyOf(const Change& change);

// What is left to do when `newer` comes while `older`, of the same key, is still waiting.
Change Supersede(Change older, Change newer);

// How many rows it writes, roughly: for the size of transactions.
size_t WeightOf(const Change& change);

}  // namespace fedra::store
