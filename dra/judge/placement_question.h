#pragma once
//
// Whether pods of one set are in the way of those that come later: where kube-scheduler takes any
// of the nodes that it scores alike, or because they come first.
//
// Not every choice among such nodes is looked at: those that take most of the room that later pods
// need, spare most of it, or spread the pods, and on few nodes some that are drawn by lot.
//
// Pure but for the caches.

#include <optional>

#include "dra/judge/attempt.h"
#include "verdict/node_facts.h"

namespace fedra::dra {

// `answer`: on this snapshot, with nodes that score alike by name. Absent: none was found to be in
// the way.
std::optional<verdict::EarlierPods> EffectOfPlacement(const Question& question,
                                                      const Attempt& answer,
                                                      const Snapshot& snapshot, JudgeCaches caches);

}  // namespace fedra::dra
