#pragma once
//
// Facts in words: the one place where the sentences are that people read about reasons.
//
// Pure. What is quoted (errors of an API server, selectors) is passed on as it is: who shows it
// makes it printable.

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "verdict/reason.h"

namespace fedra::verdict {

// For whom it is, and when it is read.
struct Rendering {
  // The namespace whose tenants read it: names from others are withheld. Empty: administrators.
  std::string_view tenants_of = {};
  // Times become ages. Absent: times stay, as in what is kept or compared.
  std::optional<WallTime> now = std::nullopt;
};

// A whole sentence without final dot: "ResourceClaimTemplate ml/one-gpu does not exist there".
std::string MessageOf(const Reason& reason, const Rendering& rendering = {});
std::string MessageOf(const Facts& facts, const Rendering& rendering = {});
std::string MessageOf(const JointShortage& shortage);
// "1 new node of a scalable pool (8 devices of class gpu) could provide it".
std::string MessageOf(const NewNodes& nodes);

// The same in two lines: what is asked for, and what rules out how many devices. `counts` is
// empty where nothing is counted.
struct TwoLines {
  std::string text;
  std::string counts;
};
TwoLines InTwoLines(const Reason& reason, const Rendering& rendering = {});
// The same without any count, for a place that has them elsewhere: "request gpu of claim gpu fits
// in none of 2 alternatives: large (NotEnoughDevices), small (DevicesAllocated)".
std::string WithoutCounts(const Reason& reason, const Rendering& rendering = {});

// "request gpu of claim gpu (template large-only)".
std::string SubjectOf(const RequestedDevices& requested);
// "24 devices: 8 other driver, 16 free"; "no devices" without any.
std::string CountsText(const DeviceCounts& counts, const Rendering& rendering = {});
// "other driver", "allocated (job ml/train and 3 more)".
std::string WhatOf(const CountedCause& cause, const Rendering& rendering = {});
// "job ml/train"; "ml/a-gpu": a claim.
std::string NameOf(const Holder& holder);
// "spec.a: 2 there, 1 on the manager; spec.b: absent there, 1 on the manager; and 3 more".
std::string DifferencesText(const Drift& drift);
// "2 jobs, first ml/train (priority 0, order Backfill)".
std::string AheadText(const InLine& line);

// "drained: new firmware", "cordoned": of a worker that is out of service, wherever that is said.
std::string ServiceText(const Cordoned& worker);

// An amount of a resource as people write it: "4000" and not "4k" for cpu, "62.8Gi" for memory that
// the node counts in Ki (rounded down).
std::string ReadableAmount(std::string_view resource, const Quantity& amount);

// A message names so many holders of devices; of more it says how many.
inline constexpr size_t kMaxHoldersNamed = 3;

}  // namespace fedra::verdict
