#pragma once
//
// Internal to verdict/: the sentences of reason_text.h, one function for every kind of facts.

#include <string>

#include "verdict/reason_text.h"

namespace fedra::verdict {

// object_text.cc
std::string TextOf(const Sentence& sentence, const Rendering&);
std::string TextOf(const Missing& missing, const Rendering&);
std::string TextOf(const Unreadable& unreadable, const Rendering&);
std::string TextOf(const Drift& drift, const Rendering&);
std::string TextOf(const Quota& quota, const Rendering&);
std::string TextOf(const Undeclared& undeclared, const Rendering&);
std::string TextOf(const MissingLabel& missing, const Rendering&);
std::string TextOf(const QueueStopped& queues, const Rendering&);
std::string TextOf(const QueueInactive& queue, const Rendering&);
std::string TextOf(const ApiVersion& api, const Rendering&);
std::string TextOf(const NameTaken& taken, const Rendering&);
std::string TextOf(const ClaimPlace& place, const Rendering&);

// worker_text.cc
std::string TextOf(const Connection& connection, const Rendering&);
std::string TextOf(const OtherScheduler& scheduler, const Rendering&);
std::string TextOf(const GroupTerms& terms, const Rendering&);
std::string TextOf(const Gang& gang, const Rendering&);
std::string TextOf(const ReleaseDoubt& doubt, const Rendering&);
std::string TextOf(const PodTerms& terms, const Rendering&);
std::string TextOf(const BroadTaintRules& rules, const Rendering&);
std::string TextOf(const NotAllowed& worker, const Rendering&);
std::string TextOf(const Cordoned& worker, const Rendering&);
std::string TextOf(const MovedAway& move, const Rendering& rendering);
std::string TextOf(const InLine& line, const Rendering&);
std::string TextOf(const Reserved& reserved, const Rendering&);
std::string TextOf(const Setback& setback, const Rendering& rendering);

// device_text.cc
std::string TextOf(const DeviceCounts& counts, const Rendering& rendering);
std::string TextOf(const AlternativeCounts& request, const Rendering& rendering);
std::string TextOf(const BrokenSelector& selector, const Rendering&);
std::string TextOf(const JointShortage& shortage, const Rendering&);
// "request gpu of claim gpu wants 1 device of class gpu.example.com", and what waiting will
// not bring.
std::string RequestText(const DeviceCounts& counts);
// "request gpu of claim gpu fits in none of 2 alternatives: large (NotEnoughDevices), ...".
std::string RequestText(const AlternativeCounts& request);

// node_text.cc
std::string TextOf(const NodeRoom& room, const Rendering&);
std::string TextOf(const NoSuchResource& missing, const Rendering&);
std::string TextOf(const NodeCounts& counts, const Rendering&);
std::string TextOf(const PodsFit& pods, const Rendering&);
std::string TextOf(const EarlierPods& pods, const Rendering&);
std::string TextOf(const FullClaim& claim, const Rendering&);
std::string TextOf(const Unbindable& pods, const Rendering&);
std::string TextOf(const SchedulerError& error, const Rendering&);
std::string TextOf(const SearchLimit& search, const Rendering&);

}  // namespace fedra::verdict
