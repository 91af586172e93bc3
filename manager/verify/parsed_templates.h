#pragma once
//
// The manager's ResourceClaimTemplates in the shape of dra/, as one worker's judgements take them:
// those that it would get, each parsed once for the worker, with whose objects it shares its texts.
// By the pointer a judgement knows that nothing has changed.
//
// Those whose originals are gone are dropped when another one is read.
//
// Thread rules: any thread.
// Lifetime: `parsing` must outlive it.

#include <map>
#include <memory>

#include "base/guarded.h"
#include "dra/model/parse.h"
#include "manager/verify/objects.h"

namespace fedra::verify {

class ParsedTemplates final {
 public:
  // `parsing`: with what the templates share their texts.
  explicit ParsedTemplates(Guarded<dra::ParseContext>& parsing) : parsing_(parsing) {}

  // The same pointer for the same original. Null: it cannot be read, of which the manager's watch
  // tells.
  std::shared_ptr<const dra::ClaimTemplate> Of(
      const std::shared_ptr<const ClaimSummary>& original) const;

 private:
  using ByOriginal =
      std::map<std::weak_ptr<const ClaimSummary>, std::shared_ptr<const dra::ClaimTemplate>,
               std::owner_less<std::weak_ptr<const ClaimSummary>>>;

  std::shared_ptr<const dra::ClaimTemplate> Parse(const ClaimSummary& original) const;

  Guarded<dra::ParseContext>& parsing_;
  mutable Guarded<ByOriginal> parsed_;
};

}  // namespace fedra::verify
