#pragma once
//
// Internal to placement/: whether fedra has begun with a workload since its quota was reserved, and
// whether what there is to say of it must be written.
//
// Decided by conditions, times and what is remembered, never by the text: a release that words the
// same facts in another way rewrites no check, and Kueue may word what it writes as it likes. Pure.

#include <string>
#include <vector>

#include "manager/placement/action.h"
#include "manager/placement/context.h"
#include "manager/placement/message.h"
#include "manager/placement/note_reasons.h"
#include "manager/tracking/workload.h"

namespace fedra::placement {

// Whether the check's own date says that we have written it since the quota was reserved; true for
// every check that this release wrote. For those who have nothing but the API objects.
bool IsWrittenSinceReserved(const tracking::Workload& workload,
                            const tracking::AdmissionCheckState& check);
// Whether a worker has the workload: its check is Ready, or stays Pending beside the worker's name
// (WorkloadView::holds_check). Such a name of an earlier reservation is not meant: its check is
// dated no later than this one (StatusPatch()). The workload must have quota.
bool IsPlaced(const WorkloadView& view, const tracking::AdmissionCheckState& check);
// Whether we have written the check since the quota was reserved that the workload holds now. If
// not, what is nominated, and what is on the workers, is of an earlier reservation.
bool HasBegun(const Context& context, const tracking::AdmissionCheckState& check);
// What is nominated since then, by the API object: the truth that Kueue's webhook checks the winner
// against.
std::vector<ClusterName> Nominated(const Context& context,
                                   const tracking::AdmissionCheckState& check);

// Whether the check's message is one of ours, of this reservation. Where that cannot be known, it
// counts as ours if an earlier process may have written it: a text that changes late is better than
// a write for every waiting workload at once.
bool IsReported(const Context& context, const tracking::AdmissionCheckState& check);
// Whether the message must be written: the check has none of ours, or one with other facts. Within
// one process the texts are compared, which say more than the facts.
bool MustReport(const Context& context, const tracking::AdmissionCheckState& check,
                const Message& message);
// Whether something was reported of the reservation that the workload holds now.
bool HasReported(const Context& context);
// Whether the message says something else than what was last reported of the reservation that the
// workload holds now, in the check or, where Kueue writes the check, in our records.
bool IsNews(const Context& context, const Message& message);
// What to remember once the message is written.
CheckReport AsReported(const Context& context, const Message& message);
// The message need not be written: notes that the check says so, unless that is known.
void TakeAsReported(const Context& context, const Message& message, Decision& decision);
// Where Kueue writes the check: notes it, once, also after a restart. False: it was noted.
bool ReportOnce(const Context& context, const notes::NoteReason& reason, const ClusterName& worker,
                const std::string& text, Decision& decision);

}  // namespace fedra::placement
