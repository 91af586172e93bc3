#pragma once
//
// Why nodes have no room for a pod: now, because other pods run there, or never, because they are
// too small or do not provide the resource.
//
// Reads what was placed and changes nothing of it. Thread rules: one simulation, one thread.

#include "dra/judge/explanation.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/placement_trace.h"
#include "dra/judge/simulation_context.h"
#include "dra/judge/waiting.h"

namespace fedra::dra {

// What room has to do with it that pods do not fit.
enum class RoomAnswer : uint8_t {
  kNothing,  // or it is not the first thing that is missing
  kMissing,  // room is missing first of all: some nodes have all else, or they could never do
  kAll,      // room is all that is missing, and comes back
};

class RoomExplainer final {
 public:
  RoomExplainer(const SimulationContext& context, const PlacementTrace& trace,
                const PlacedPods& placed, const Waiting& waiting)
      : context_(context), trace_(trace), placed_(placed), waiting_(waiting) {}

  // Adds the reasons that there are.
  RoomAnswer Explain(Explanation& explanation) const;
  // Devices are in use, and the job would wait for them: adds that it would do so in vain, where
  // the nodes are too small even without other pods. True: they are.
  bool ExplainTooSmall(Explanation& explanation) const;

 private:
  // The nodes without room, as one reason names them.
  struct Nodes {
    std::vector<verdict::ResourceShortage> shortages;  // by resource
    int count = 0;
    bool have_devices = false;  // they could take the pod otherwise
    bool never = true;          // none could take the pod with nothing else on it
  };

  Nodes Examine() const;
  bool IsNowhere(const Symbol& resource) const;
  std::string MeantInstead(const Symbol& resource) const;
  verdict::Reason Missing(const verdict::ResourceShortage& shortage) const;
  verdict::Reason TooSmall(const Nodes& nodes) const;
  verdict::Reason Busy(const Nodes& nodes) const;

  const SimulationContext& context_;
  const PlacementTrace& trace_;
  const PlacedPods& placed_;
  const Waiting& waiting_;
};

}  // namespace fedra::dra
