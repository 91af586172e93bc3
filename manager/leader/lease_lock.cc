#include "manager/leader/lease_lock.h"

#include <algorithm>
#include <utility>

#include "base/time.h"

namespace fedra::leader {
namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;

// A candidate looks so often in a retry_period, in which a leader renews once. The record counts
// from when it is seen: for as long as a renewal was not seen it is waited for beyond its duration.
constexpr int kLooks = 4;
// Candidates do not look in step, nor all at the moment when the record has run out.
constexpr double kJitter = 0.2;
constexpr std::chrono::milliseconds kSpread{100};

BootClock::duration Share(BootClock::duration of, double share) {
  return duration_cast<BootClock::duration>(of * share);
}

}  // namespace

LeaseLock::LeaseLock(LeaseTerms terms, std::string identity)
    : terms_(terms), identity_(std::move(identity)) {}

Ask LeaseLock::Next(Ask ask) { return asked_ = ask; }

Ask LeaseLock::Begin(BootTime now, WallTime wall, bool eager) {
  has_read_ = false;
  eager_ = eager;
  if (Lost(now)) return Next(Ask::kWait);
  // The Lease is still as we wrote it, or the answer is 409.
  if (led_ && lease_) return Write(Ask::kUpdate, now, wall);
  return Next(Ask::kGet);
}

Ask LeaseLock::Handle(const Answer& answer, BootTime now, WallTime wall) {
  if (asked_ == Ask::kGet) return OnRead(answer, now, wall);
  return OnWritten(answer, now);
}

Ask LeaseLock::OnRead(const Answer& answer, BootTime now, WallTime wall) {
  has_read_ = true;
  if (answer.kind == Answer::Kind::kFailed) return Next(Ask::kWait);
  if (answer.kind == Answer::Kind::kAbsent) {
    lease_.reset();
    if (!led_ && IsTakenUntilLater(now)) return Next(Ask::kWait);
    if (IsLeftToOthers(/*is_ours=*/led_, now)) return Next(Ask::kWait);
    return Write(Ask::kCreate, now, wall);
  }
  lease_ = answer.lease;
  Observe(answer.lease.record, now);
  const bool is_ours = answer.lease.record.holder == identity_;
  if (led_ && !is_ours) return Depose();
  if (!is_ours && IsTakenUntilLater(now)) {
    free_since_.reset();
    return Next(Ask::kWait);
  }
  if (IsLeftToOthers(is_ours, now)) return Next(Ask::kWait);
  return Write(Ask::kUpdate, now, wall);
}

Ask LeaseLock::OnWritten(const Answer& answer, BootTime now) {
  if (answer.kind != Answer::Kind::kLease) {
    // An answer that was lost may stand for a write that was carried out: look.
    return Next(has_read_ || Lost(now) ? Ask::kWait : Ask::kGet);
  }
  lease_ = answer.lease;
  Observe(answer.lease.record, now);
  if (answer.lease.record.holder != identity_) return Depose();  // no server answers so
  // An answer that comes too late to lead without a gap, or at all, is none.
  const BootTime until = sent_at_ + terms_.renew_deadline;
  if (Lost(now) || now >= until) return Next(Ask::kWait);
  held_until_ = until;
  led_ = true;
  return Next(Ask::kWait);
}

void LeaseLock::Observe(const LeaseRecord& record, BootTime now) {
  if (observed_ == record) return;
  observed_ = record;
  observed_at_ = now;
}

BootTime LeaseLock::TakenUntil() const {
  if (!observed_ || observed_->holder.empty()) return BootTime::min();
  const auto said = seconds(observed_->duration_seconds);
  return observed_at_ + (said > seconds(0) ? BootClock::duration(said)
                                           : BootClock::duration(terms_.lease_duration));
}

BootClock::duration LeaseLock::Pause(BootTime now, double random) const {
  const BootClock::duration period = terms_.retry_period;
  if (Leads(now)) return std::min(period, held_until_ - now);
  const BootClock::duration usual = Share(period / kLooks, 1 + kJitter * random);
  if (!IsTakenUntilLater(now)) return usual;
  return std::min(usual, TakenUntil() - now + Share(kSpread, random));
}

bool LeaseLock::IsLeftToOthers(bool is_ours, BootTime now) {
  if (is_ours) return false;
  if (!free_since_) free_since_ = now;
  return !eager_ && now < *free_since_ + kGraceDurations * terms_.lease_duration;
}

// Another one has it: deleted and made again, or edited.
Ask LeaseLock::Depose() {
  held_until_ = BootTime::min();
  return Next(Ask::kWait);
}

Ask LeaseLock::Write(Ask ask, BootTime now, WallTime wall) {
  const std::string time = FormatRfc3339Micro(wall);
  const bool is_ours = observed_ && observed_->holder == identity_;
  record_ = {
      .holder = identity_,
      .duration_seconds = static_cast<int>(duration_cast<seconds>(terms_.lease_duration).count()),
      .acquire_time = is_ours ? observed_->acquire_time : time,
      .renew_time = time,
      .transitions = observed_ ? observed_->transitions + (is_ours ? 0 : 1) : 0};
  sent_at_ = now;
  return Next(ask);
}

LeaseRecord LeaseLock::Released(WallTime wall) const {
  const std::string time = FormatRfc3339Micro(wall);
  return {.holder = {},
          .duration_seconds = 1,
          .acquire_time = time,
          .renew_time = time,
          .transitions = observed_ ? observed_->transitions : 0};
}

std::optional<LeaseRecord> LeaseLock::Seen() const {
  if (!lease_) return std::nullopt;
  return observed_;
}

}  // namespace fedra::leader
