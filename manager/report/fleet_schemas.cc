// The documents about the workers and lists of jobs, and how each document about the store begins.

#include "manager/report/document_schemas.h"
#include "manager/report/job_columns.h"
#include "manager/tracking/admission_check.h"
#include "store/rows.h"

namespace fedra::report::schema {
namespace {

std::vector<Field> ConnectionFields() {
  return {
      {"state", OneOf(StateNames("Worker")), "How it is connected; docs/states.md has the words"},
      {"since", Time(), "When the state began"},
      {"why", Text(), "What is wrong with its connection or its lists; empty: nothing"}};
}

std::vector<Field> CapacityFields() {
  return {Maybe("queues", Ref("Queues"), "Its queues; absent: it has none, or they are not known"),
          Maybe("quota", ListOf(Ref("QuotaUse")),
                "What of its quota is reserved, the fullest first, at most 16"),
          Maybe("devices", Ref("DeviceTotals"),
                "Its devices; absent: they are not verified, or not listed yet")};
}

Schema Worker() {
  return Object(
      "A worker as the daemon last saw it.",
      std::vector<Field>{
          {"name", Text(), "Its name in the configuration"},
          Maybe("removed", Flag(),
                "True: it is not configured any more, and something of fedra's is left there"),
          Maybe("cordon", OneOf({tracking::kCordonedName, tracking::kDrainingName}),
                "An administrator has taken it out of service: it gets no new jobs; Draining: "
                "those that it has move; absent: it is in service")} +
          ConnectionFields() +
          std::vector<Field>{
              Maybe("lostSince", Time(),
                    "When contact was lost; absent: it was not, or its jobs stay there"),
              Maybe("lastContact", Time(),
                    "When it last answered; absent: not since it was configured"),
              {"kubernetesVersion", Text(), "Such as 1.36.3; empty: not known yet"},
              {"draVersion", Text(),
               "The version of resource.k8s.io that it serves; empty: none, or not known yet"},
              Maybe("capabilities", Ref("Capabilities"),
                    "What it can, as far as the daemon has seen; absent: not known yet")} +
          CapacityFields() +
          std::vector<Field>{
              Maybe("jobs", Number(),
                    "Jobs that are there, or dispatched to it; absent: a standby that has never "
                    "led, or a reader who "
                    "may see no jobs, does not know"),
              Maybe("jobsLeftBehind", Number(),
                    "Copies of jobs that were taken from it while it was out of reach, and may run "
                    "there still; absent as jobs"),
              {"note", Text(), "What should be known of its queues; empty: nothing"}});
}

std::vector<NamedSchema> CapabilitySchemas() {
  return {
      {"Capabilities",
       Object(
           "What a worker can: what its API server says that it serves, what it has refused, and "
           "what the configuration declares.",
           {{"jobKinds", ListOf(Text()),
             "Kinds of jobs that this fedra runs, and whose API is served there"},
            {"jobKindsMissing", ListOf(Text()),
             "Kinds of jobs that this fedra runs, and whose API is not served there: KindMissing"},
            {"kueueVersions", ListOf(Text()),
             "Served versions of kueue.x-k8s.io, the preferred first; empty: none"},
            Maybe("dra", Ref("DraCapabilities"),
                  "Its dynamic resource allocation; absent: resource.k8s.io is not served there"),
            {"missingRights", ListOf(Text()),
             "Resources that fedra's account may not list or watch there, as PLURAL.GROUP"},
            {"declared", ListOf(Text()),
             "What no API shows, as workers[].capabilities of the configuration says it"}})},
      {"DraCapabilities",
       Object(
           "What a worker has of dynamic resource allocation.",
           {{"versions", ListOf(Text()), "Served versions of resource.k8s.io, the preferred first"},
            {"release", Text(), "The release of Kubernetes by whose rules devices are judged"},
            {"features", ListOf(Text()),
             "Feature gates that it is taken to have on: by its release's defaults and by what it "
             "serves, for no API shows gates; docs/releases.md"}})},
  };
}

Schema DaemonSchema() {
  return Object(
      "The daemon whose answers these are.",
      {{"running", Flag(), "Whether it runs"},
       {"ageSeconds", Number(), "How long ago it last wrote"},
       {"version", Text(), "Of fedra"},
       {"pid", Number(), "Its process"},
       {"startedAt", Time(), "When it was started"},
       {"order", Text(), "dispatch.order that it runs with"},
       {"restartNeeded", Text(),
        "Keys of the configuration that have changed and wait for a restart; empty: none"},
       Maybe("replica", Ref("Replica"), "What it is among replicas; absent: there are none")});
}

Schema Replica() {
  return Object(
      "The daemon among replicas, with highAvailability.",
      {{"role", OneOf({store::kLeaderRole, store::kStandbyRole}), "Whether it leads"},
       {"identity", Text(), "Its name among them"},
       {"leader", Text(), "Who holds the Lease; empty: no replica, or it is not known"},
       Maybe("leaderSince", Time(), "By the leader's clock; absent: not known"),
       {"takeovers", Number(), "How often the Lease has got another holder"},
       Maybe("problem", Text(), "Why it could not lead now, or what is wrong with the Lease"),
       Maybe("configDiffers", Text(),
             "Of a standby: sections of its configuration that are not the leader's, \"dispatch, "
             "workers\"; absent: none, or another version leads"),
       Maybe("jobsAsOf", Time(),
             "Of a standby, in documents about jobs: what it knows of them is as of then; absent: "
             "nothing")});
}

std::vector<NamedSchema> CapacitySchemas() {
  return {
      {"Queues",
       Object("Queues of a cluster: LocalQueues of a worker, ClusterQueues of the manager.",
              {{"total", Number(), "How many there are"},
               {"active", Number(), "How many of them admit jobs"},
               {"stopped", ListOf(Ref("StoppedQueue")), "The first 16 of the others, by name"},
               Maybe("orders", ListOf(Ref("QueueOrder")),
                     "Of the manager: orders that ClusterQueues ask for"),
               Maybe("weights", ListOf(Ref("QueueWeight")),
                     "Of the manager: shares of ClusterQueues that have one")})},
      {"StoppedQueue", Object("A queue that admits nothing.",
                              {{"name", Text(), "Such as LocalQueue ml/gpu"},
                               {"clusterQueue", Text(), "Its ClusterQueue"},
                               {"why", Text(), "Its stopPolicy, or Kueue's words; may be empty"}})},
      {"QueueOrder", Object("How a ClusterQueue wants its jobs ordered.",
                            {{"clusterQueue", Text(), "Its name"},
                             {"order", Text(), "Its annotation fedra.dev/order"},
                             {"valid", Flag(), "False: there is no such order; it is ignored"}})},
      {"QueueWeight", Object("The share of a ClusterQueue.",
                             {{"clusterQueue", Text(), "Its name"},
                              {"weight", Fraction(), "Its spec.fairSharing.weight"}})},
      {"QuotaUse", Object("What a ClusterQueue has of one resource in one flavor.",
                          {{"clusterQueue", Text(), "Its name"},
                           {"flavor", Text(), "The ResourceFlavor"},
                           {"resource", Text(), "Such as cpu"},
                           {"nominal", Text(), "The nominal quota, a Kubernetes quantity"},
                           {"reserved", Text(), "What jobs hold of it, a quantity"}})},
      {"DeviceTotals", Object("A worker's devices, counted.",
                              {{"published", Number(), "Devices of usable pools"},
                               {"inUse", Number(), "Held by a claim, as a whole or in part"}})},
  };
}

std::vector<Field> WorkersFields() {
  return {{"workers", ListOf(Ref("Worker")), "In the order of the configuration"}};
}

std::vector<Field> JobsFields() {
  return {{"jobs", ListOf(Ref("ListedJob")), "Those that were asked for, in the order asked for"},
          {"remaining", Number(), "How many more the limit kept back"},
          Maybe("continue", Text(), "Where the next page begins; absent: there is none"),
          {"ended", Number(),
           "How many that the filters match ended more than an hour ago and are not listed"}};
}

Schema JobGroupSchema() {
  return Object(
      "Jobs that have something in common.",
      {{"name", Text(), "The state, reason, worker, namespace/queue or namespace; empty: none"},
       {"jobs", Number(), "How many; by reason a job may count more than once"},
       {"longestSince", Time(), "Since when one of them has been in its state, the longest"},
       {"longest", Ref("ObjectName"), "That job"},
       Maybe("remedy", Text(), "By reason: what can be done; empty: nothing is known")});
}

}  // namespace

std::vector<NamedSchema> FleetSchemas() {
  const std::vector<std::string> columns = GroupColumns();
  std::vector<NamedSchema> schemas = {
      {"StatusReport", Object("The workers and the jobs.", StoreDocumentFields("StatusReport") +
                                                               WorkersFields() + JobsFields())},
      {"WorkerReport",
       Object("The workers.", StoreDocumentFields("WorkerReport") + WorkersFields())},
      {"JobReport", Object("The jobs.", StoreDocumentFields("JobReport") + JobsFields())},
      {"JobCounts",
       Object("How many jobs there are of each.",
              StoreDocumentFields("JobCounts") +
                  std::vector<Field>{
                      {"groupBy", OneOf({columns.begin(), columns.end()}), "What is counted"},
                      {"groups", ListOf(Ref("JobGroup")), "The largest first"}})},
      {"JobGroup", JobGroupSchema()},
      {"Daemon", DaemonSchema()},
      {"Replica", Replica()},
      {"Manager", Object("The manager's cluster as the daemon last saw it.",
                         ConnectionFields() + CapacityFields())},
      {"Worker", Worker()},
      {"ObjectName", Object("An object of a namespace.", {{"namespace", Text(), "Its namespace"},
                                                          {"name", Text(), "Its name"}})},
  };
  for (auto more : {CapacitySchemas(), CapabilitySchemas()})
    for (NamedSchema& schema : more) schemas.push_back(std::move(schema));
  return schemas;
}

}  // namespace fedra::report::schema
