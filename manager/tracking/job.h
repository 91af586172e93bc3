#pragma once
//
// A job of any kind as fedra reads it, and what fedra must be able to do with a kind.
//
// As a rule a job is one object. A group of pods is several: each is read as a Job with `member`
// set, and all of them together are a Job with `members` (job_members.h).
//
// Thread rules: plain values; adapters are stateless constants that live for the whole process.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/types.h"
#include "cluster-clients/kube/resource.h"
#include "manager/tracking/pod_label.h"
#include "manager/tracking/workload.h"

namespace fedra::tracking {

class JobAdapter;

// How the Kueue of a worker comes to take the clone for the Workload of the job's copy.
enum class Adoption {
  kPrebuilt,  // the copy names it (kPrebuiltWorkload)
  // Kueue's webhook refuses a copy that does so: we write the copy into the clone as its owner, and
  // the copy gets its queue only then. A copy without one belongs to no Workload until then.
  kOwner,
  // The clone's name follows from the copy's, and from the UID of the manager's job, which the copy
  // tells (kOriginUid).
  kByOriginUid,
};

// What one of several objects that are one job says of itself and of the others.
struct GroupMember {
  std::string group;      // its name, and that of its Workload
  int total = 0;          // how many members must succeed; 0: it does not say
  bool serves = false;    // the group never ends
  bool retriable = true;  // false: no member that fails is replaced
  // Of a copy: the UID of the manager's object that it stands for.
  std::string copy_of;
  std::vector<std::string> finalizers;
};

struct Job {
  ObjectKey key;
  const JobAdapter* kind = nullptr;  // that read it
  std::string uid;
  ResourceVersion version;
  WallTime created{};
  bool deleting = false;
  CopyMarks marks;                // of a remote job
  std::string prebuilt_workload;  // remote jobs: name of the clone
  bool queued = false;            // it names a LocalQueue, so Kueue looks after it
  std::string never;              // why it is not dispatched while it is as it is; empty: it is
  std::string managed_by;         // spec.managedBy, or where the kind has it; empty when absent
  bool suspended = false;
  bool finished = false;  // successfully or not
  bool failed = false;
  // Of a copy: its worker's Kueue, which took the quota back, has ended it. Then it is not
  // finished, whatever it says, and nothing of it is mirrored.
  bool stopped = false;
  // Of a copy whose status is not mirrored, for people: "1 of 2 replicas ready"; may be empty.
  std::string readiness;
  int active_pods = 0;    // as the status counts them; 0 of a kind that counts none
  int parts = 1;          // how many Workloads Kueue makes of it, one for each of its replicas
  uint64_t followed = 0;  // hash of what else its copy follows; 0: nothing
  bool elastic = false;   // Kueue follows its size (elastic.h); `followed` has that, too
  std::vector<int> pod_counts = {};  // of each pod set, of an elastic job
  // Other objects that it names and its Workload does not show; of a manager's job only.
  std::vector<Reference> references;
  // What its pods ask for where its Workload does not show it: the members of a Requirement that
  // are about pods. Null: the Workload does. Of a manager's job only.
  std::shared_ptr<const Requirement> asks;
  // metadata.labels as a JSON object, of many labels the first; of a manager's job only.
  std::string labels_json = "{}";
  bool shows_activity = false;  // status says that something runs or is going down
  // As JSON: on the manager the complete object, for the copy to a worker; on a worker an object
  // with its status alone. Null for foreign jobs.
  std::shared_ptr<const std::string> text;
  // Of one of several objects that are one job; null: it is a job by itself.
  std::shared_ptr<const GroupMember> member;
  // Of a job of several objects: these, by name, at least one. Then `key` has the group's name, and
  // what only an object has (UID, version, text) is empty.
  std::vector<std::shared_ptr<const Job>> members;

  bool is_group() const { return !members.empty(); }
};

// Whether all that has changed between two states of a job is how its pods are getting on: what is
// mirrored, but decides nothing.
bool IsProgress(const Job& before, const Job& after);

// Which job: two of one name and of different kinds are two.
struct JobKey {
  std::string kind;  // JobAdapter::name(), or group_kind()
  ObjectKey key;
  auto operator<=>(const JobKey&) const = default;
};

JobKey KeyOf(const Job& job);
// "Job ml/train", "Pod group ml/train": for people.
std::string ObjectText(const Job& job);

// "JobSet.jobset.x-k8s.io", of a group without a name "Pod".
std::string KindName(std::string_view kind, std::string_view group);
// Of an owner with apiVersion "batch/v1": "Job.batch".
std::string KindName(const Owner& owner);

// Pods, and what is made of them: they have no managedBy.
bool IsMadeOfPods(const Workload& workload);

// The Workload with what its job asks for and Kueue does not show in it; the same when that is
// nothing.
std::shared_ptr<const Workload> Completed(std::shared_ptr<const Workload> workload, const Job& job);

// What fedra must know about one kind of job.
class JobAdapter {
 public:
  explicit JobAdapter(kube::Resource resource);
  virtual ~JobAdapter() = default;

  const kube::Resource& resource() const { return resource_; }
  // "Job.batch": the kind with its group.
  const std::string& name() const { return name_; }

  // How a job of several objects of this kind is called; empty: there are none.
  virtual std::string_view group_kind() const { return {}; }

  virtual Result<Job> Parse(const nlohmann::json& object) const = 0;
  // The controller that runs it, as the object says; empty: it names none.
  virtual std::string ManagedBy(const nlohmann::json& object) const = 0;
  // Where it says so; empty: it has no such field.
  virtual std::string managed_by_path() const { return "spec.managedBy"; }
  // What its own controller is called there, as defaults of CRDs and users write it; may be empty.
  // Kueue, with MultiKueue, and the managedBy policy take it for saying nothing.
  virtual std::string own_controller() const { return {}; }
  // Why no job like this is dispatched (KindRow::never), and the field that says so.
  struct Never {
    std::string path;
    std::string why;
  };
  virtual std::optional<Never> WhyNever(const nlohmann::json& object) const {
    (void)object;
    return std::nullopt;
  }
  // The pod sets of a job that no Kueue has seen yet; they point into `object`.
  virtual std::vector<PodTemplate> PodTemplates(const nlohmann::json& object) const = 0;
  // These as Kueue will count them (KindRow::counted_pods); none: as they are.
  virtual std::vector<PodTemplate> CountedPods(const nlohmann::json& object) const {
    (void)object;
    return {};
  }
  // How the pods of a job are recognized.
  virtual PodLabel pod_label() const = 0;
  // As jobs of which kind they are recognized (KindRow::pods_of): name() of that kind.
  virtual const std::string& pods_kind() const { return name(); }
  // The resources of which its jobs name objects (KindRow::references), and which a job names.
  virtual std::vector<kube::Resource> ReferencedResources() const { return {}; }
  // The pods of a job whose pods such an object describes (KindRow::referenced_pods); none: of
  // another kind.
  virtual std::vector<PodTemplate> ReferencedPods(const nlohmann::json& object,
                                                  nlohmann::json& spec) const {
    (void)object, (void)spec;
    return {};
  }
  virtual std::vector<Reference> References(const nlohmann::json& object,
                                            const std::string& ns) const {
    (void)object, (void)ns;
    return {};
  }
  // Whether nothing in a job says who runs it, so that Kueue would start it on the manager, too.
  // Then its check stays Pending while a worker has it: Kueue starts nothing that is not admitted
  // (ReconcileGenericJob in pkg/controller/jobframework/reconciler.go of Kueue 0.19.2).
  virtual bool HoldsCheck() const { return false; }
  virtual Adoption adoption() const { return Adoption::kPrebuilt; }
  // Whether any status of a worker is written on the manager.
  virtual bool MirrorsStatus() const { return true; }
  // Where only some of the resource's objects can be jobs: a label selector of them; empty: all.
  virtual std::string labels_on_manager() const { return {}; }
  virtual std::string labels_on_worker() const { return {}; }
  // The three below are of one object: of a group, of each member by itself.
  //
  // The body that creates the job on a worker: same name, labels, annotations and spec, our marks,
  // the clone's name, and without what only the manager's copy may carry.
  virtual Result<std::string> RemoteBody(const Job& local, const Workload& workload,
                                         const Identity& us) const = 0;
  // The merge patch that makes the manager's status equal to the worker's; nothing when there is
  // nothing to copy now.
  virtual std::optional<std::string> MirrorPatch(const Job& local, const Job& remote) const = 0;
  // The merge patch that takes all activity out of the manager's status; nothing when it shows
  // none. Kueue releases an evicted workload's quota only after that (IsActive in
  // pkg/controller/jobs/job/job_controller.go).
  virtual std::optional<std::string> ClearActivityPatch(const Job& local) const = 0;
  // Of a kind whose copies follow their jobs (Job::parts, Job::followed): the merge patch that
  // brings the copy up to date, bound to what was seen of it. Nothing: of another kind.
  virtual std::optional<std::string> FollowPatch(const Job& copy, const Job& local) const {
    (void)copy, (void)local;
    return std::nullopt;
  }
  virtual bool copies_follow() const { return false; }
  // Of a kind that has elastic jobs: makes the copy, which is complete, as large as the job, as far
  // as its size may be changed there, and changes nothing else of it.
  virtual bool scales() const { return false; }
  virtual void Scale(const nlohmann::json& local, nlohmann::json& copy) const {
    (void)local, (void)copy;
  }

 private:
  const kube::Resource resource_;
  const std::string name_;
};

// batch/v1 Job.
const JobAdapter& BatchJobAdapter();

}  // namespace fedra::tracking

template <>
struct std::hash<fedra::tracking::JobKey> {
  size_t operator()(const fedra::tracking::JobKey& job) const noexcept {
    return std::hash<std::string>()(job.kind) * 31 + std::hash<fedra::ObjectKey>()(job.key);
  }
};
