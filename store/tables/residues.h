#pragma once
//
// Table residues.
//
// Thread rules: those of the connection.

#include <vector>

#include "base/result.h"
#include "store/changes.h"
#include "store/connection.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const PutResidue& change);
Result<void> Apply(Connection& db, const RemoveResidue& change);

// By cluster, oldest first.
Result<std::vector<ResidueRow>> LoadResidues(Connection& db);

}  // namespace fedra::store
