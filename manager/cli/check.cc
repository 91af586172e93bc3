// fedra check: the preflight. Reads the workers as the daemon does, or asks a daemon, judges, and
// writes nothing.

#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/utf8.h"
#include "config/load.h"
#include "manager/api/check_request.h"
#include "manager/api/question.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/check_run.h"
#include "manager/cli/fleet/fleet.h"
#include "manager/cli/manifests/skipped.h"
#include "manager/cli/remote.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

// What is wrong with the file is said when the workers are opened. A snapshot names no kinds of its
// own; one whose fedra runs no pods holds none of their copies.
tracking::JobKindsPtr KindsOf(const CheckOptions& options) {
  if (!options.snapshot.empty()) return tracking::BuiltInKindsAndPods();
  const auto loaded = config::Load(options.config, config::OptionsNow(/*manager_may_fail=*/true));
  return loaded ? ToKinds(loaded->configuration) : tracking::BuiltInKinds();
}

// The daemon reads the manifests as this command would.
Result<text::Output> AskForCheck(const CheckOptions& options, text::Format format,
                                 const Terminal& terminal) {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<ManifestFile> files, ReadFiles(options.files));
  for (const ManifestFile& file : files)
    if (!IsUtf8(file.text))
      return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: it is no UTF-8 text", file.name));
  const api::Values values = {{"worker", fmt::format("{}", fmt::join(options.workers, ","))},
                              {"namespace", options.ns}};
  return RemoteDaemon(options.daemon)
      .Post(api::TargetOf("check", values, format, StyleOf(terminal)), api::CheckBody(files));
}

}  // namespace

int Check(const CheckOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra check: " << message << "\n";
    return kFailed;
  };
  const auto format = text::ParseFormat(options.format);
  if (!format) return fail("-o: " + format.error().message);
  if (!options.daemon.empty())
    return Finish("check", AskForCheck(options, *format, terminal), terminal);
  const tracking::JobKindsPtr kinds = KindsOf(options);
  Result<CheckInput> input = ReadCheckInput(options.files, *kinds, options.ns);
  if (!input) return fail(input.error().message);
  for (const std::string& line : SkippedLines(input->skipped)) terminal.err << line << "\n";
  const auto fleet = OpenFleet({.config = options.config,
                                .snapshot = options.snapshot,
                                .workers = options.workers,
                                .timeout = options.timeout,
                                .kinds = KindsOf(*input),
                                .claims_of_others = NameClaims(*input)},
                               terminal);
  const JudgeOptions judge{.ns = options.ns, .assume_templates = options.assume_templates};
  const text::Style style = StyleOf(terminal);
  if (!fleet) {
    // Mistakes are worth knowing although no worker could be asked.
    const Checked nothing{.skipped = SkippedLines(input->skipped)};
    (void)Finish("check", RenderCheck(*input, judge, nothing, nullptr, *format, style), terminal);
    return fail(fleet.error().message);
  }
  const auto memory = OpenMemory((*fleet)->store);
  const Result<Checked> checked = JudgeInput(*input, judge, **fleet, memory.get());
  if (!checked) return fail(checked.error().message);
  return Finish("check", RenderCheck(*input, judge, *checked, &(*fleet)->as_of, *format, style),
                terminal);
}

}  // namespace fedra::cli
