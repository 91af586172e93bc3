#pragma once
//
// Pseudonyms in place of the names in a snapshot, for a file that is shown to others. Pure.
//
// Names that a job refers to (namespaces, claims, templates, ...) become a hash, so that `check`
// can still ask a redacted snapshot about a job with its real names: a reader who guesses a name
// can confirm it. Names whose order decides what the scheduler looks at first (nodes, pools,
// slices) become numbers in the same order. Kept are the names of workers, queues, device classes,
// drivers and devices, labels, and attributes, unless a value is the name of a node.

#include <string>
#include <string_view>

#include "manager/cli/snapshots/snapshot_file.h"
#include "manager/tracking/kinds/submitted.h"

namespace fedra::cli {

// "ns-5f0c8a12be": of a name of one kind ("ns", "claim", "template", "pod", "job", ...).
std::string Pseudonym(std::string_view kind, std::string_view name);

void RedactNames(SnapshotFile& file);

// The same job in the words of a redacted snapshot.
tracking::SubmittedJob WithPseudonyms(tracking::SubmittedJob job);

}  // namespace fedra::cli
