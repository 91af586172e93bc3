#pragma once
//
// Entries of the configuration's `kinds`: on a page of docs/, and tried by tests.

namespace fedra::testing {

inline constexpr const char* kPipelineRunEntry = R"(- apiVersion: tekton.dev/v1
  kind: PipelineRun
  plural: pipelineruns
  suspend: spec.status
  suspended: PipelineRunPending
  succeeded: ["status.conditions[type=Succeeded].status=True"]
  failed: ["status.conditions[type=Succeeded].status=False"]
  stopped: ["spec.status=StoppedRunFinally"]
  active: ["status.startTime!="]
  cleared: {startTime: null, conditions: null}
  podLabel: tekton.dev/pipelineRun
  operator: Tekton 1.5
)";

}  // namespace fedra::testing
