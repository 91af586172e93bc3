#include "manager/cli/fleet/line_memory.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "manager/placement/lines.h"
#include "manager/report/row_facts.h"
#include "manager/report/row_states.h"
#include "manager/text/status_format.h"
#include "manager/tracking/pod_set.h"
#include "manager/verify/reason_order.h"
#include "verdict/reason_text.h"

namespace fedra::cli {
namespace {

bool ShareTemplate(const store::WorkloadRow& row, const tracking::SubmittedJob& job) {
  const auto needs = report::NeedsOf(row);
  if (!needs || row.job.ns != job.key.ns) return false;
  const std::vector<std::string> names = job.requirement.TemplateNames();
  return std::ranges::any_of(needs->templates, [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  });
}

void RefuseByLine(verdict::ReasonCode code, verdict::Facts facts, report::JobVerdict& verdict) {
  verdict.verdict.outcome = verdict::Outcome::kNo;
  auto& reasons = verdict.verdict.reasons;
  reasons.insert(reasons.begin(), {code, "", std::move(facts)});
}

bool WaitsForDevices(const report::JobVerdict& verdict) {
  std::vector<verdict::ReasonCode> codes;
  for (const verdict::Reason& reason : verdict.verdict.reasons) codes.push_back(reason.code);
  return verdict.verdict.outcome == verdict::Outcome::kNo &&
         verify::ProspectOf(codes) == verify::Prospect::kWaits;
}

}  // namespace

LineMemory::LineMemory(store::Reader& memory, bool is_current) : is_current_(is_current) {
  const auto rows = memory.Workloads();
  const auto places = memory.Places({});
  if (!rows || !places) return;
  std::map<std::string, const store::WorkloadRow*> by_uid;
  for (const store::WorkloadRow& row : *rows) {
    by_uid[row.uid] = &row;
    const auto needs = report::NeedsOf(row);
    if (report::PhaseOf(row) == placement::Phase::kDispatching && needs && needs->pods > 0)
      claimants_[row.worker].push_back({row, needs->pods, false, 1, {}});
  }
  for (const store::PlaceRow& place : *places) {
    const auto row = by_uid.find(place.uid);
    if (row == by_uid.end() || report::PhaseOf(*row->second) == placement::Phase::kDispatching)
      continue;
    const bool holds =
        place.is_kept || place.is_bound_reached ||
        placement::ParseOrderPolicy(place.dispatch_order) == placement::OrderPolicy::kStrict;
    claimants_[place.cluster].push_back(
        {*row->second, 0, holds, place.place, place.dispatch_order});
  }
  for (auto& [worker, all] : claimants_) std::ranges::stable_sort(all, {}, &Claimant::place);
}

LineMemory::Claims LineMemory::ClaimsOf(const std::vector<Claimant>& claimants,
                                        const tracking::SubmittedJob& job, bool has_priority) {
  Claims claims;
  for (const Claimant& claimant : claimants) {
    if (claimant.row.job == job.key) continue;
    const bool same = ShareTemplate(claimant.row, job);
    if (claimant.dispatched_pods > 0) {
      if (claims.dispatched == nullptr) claims.dispatched = &claimant;
      claims.reserved += same ? claimant.dispatched_pods : 0;
      continue;
    }
    if (claims.first == nullptr) claims.first = &claimant;
    ++claims.in_line;
    claims.may_hold |= claimant.holds;
    // Without a priority class the new job's priority is 0, and it is the youngest.
    claims.holds |= claimant.holds && same && !has_priority && claimant.row.priority >= 0;
  }
  return claims;
}

verdict::InLine LineMemory::LineOf(const Claims& claims) {
  const Claimant& first = *claims.first;
  return {.ahead = static_cast<size_t>(claims.in_line),
          .first = first.row.job,
          .priority = static_cast<int>(first.row.priority),
          .order = first.order};
}

void LineMemory::AddLine(const Claims& claims, report::JobVerdict& verdict) const {
  if (!claims.may_hold) return;
  if (claims.holds && is_current_)
    return RefuseByLine(verdict::ReasonCode::kInLine, LineOf(claims), verdict);
  NoteLine(claims, verdict);
}

void LineMemory::NoteLine(const Claims& claims, report::JobVerdict& verdict) {
  if (claims.first == nullptr) return;
  verdict.notes.push_back(
      {"", "in line for devices there: " + verdict::AheadText(LineOf(claims)),
       "Jobs in line get free devices first where they want the same ones and have no lower "
       "priority; once a job is submitted, `fedra why` says where it is."});
}

void LineMemory::AddDispatched(const Claims& claims, report::JobVerdict& verdict) const {
  if (claims.dispatched == nullptr) return;
  const std::string name = claims.dispatched->row.job.ToString();
  const int spare = verdict.verdict.headroom;
  if (claims.reserved > spare && is_current_) {
    return RefuseByLine(
        verdict::ReasonCode::kDevicesAllocated,
        verdict::Reserved{
            .spare = spare, .reserved = claims.reserved, .job = claims.dispatched->row.job},
        verdict);
  }
  verdict.notes.push_back(
      {"",
       fmt::format("job {} was dispatched there and holds no devices yet: those that it will "
                   "take count as free here",
                   name),
       "The daemon reserves what dispatched jobs will take: once a job is submitted, `fedra why` "
       "counts it."});
}

void LineMemory::AddTo(const tracking::SubmittedJob& job, bool has_priority,
                       report::JobReport& report) const {
  if (job.requirement.demands == nullptr || !tracking::NeedDevices(*job.requirement.demands))
    return;
  for (report::JobVerdict& verdict : report.verdicts) {
    const auto there = claimants_.find(verdict.worker);
    if (there == claimants_.end()) continue;
    const Claims claims = ClaimsOf(there->second, job, has_priority);
    if (WaitsForDevices(verdict)) NoteLine(claims, verdict);
    if (verdict.verdict.outcome != verdict::Outcome::kYes) continue;
    AddLine(claims, verdict);
    if (verdict.verdict.outcome == verdict::Outcome::kYes) AddDispatched(claims, verdict);
  }
}

}  // namespace fedra::cli
