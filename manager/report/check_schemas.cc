// The document of `check`.

#include <utility>

#include "manager/report/document_schemas.h"

namespace fedra::report::schema {
namespace {

std::vector<NamedSchema> CheckedWorkerSchemas() {
  return {
      {"CheckedWorker",
       Object(
           "Whether a worker could run a job that is checked.",
           {{"name", Text(), "The worker"},
            {"verdict", OneOf(StateNames("Verdict")), "Whether it can run the job"},
            {"reasons", ListOf(Ref("Reason")), "Why not, or what is to be said beside a Yes"},
            Maybe("notes", ListOf(Ref("CheckNote")), "What decides nothing; absent: nothing"),
            Maybe("podsWanted", Number(), "How many pods it has; absent: devices were not judged"),
            Maybe("podsFitting", Number(), "How many of them fit there now"),
            Maybe("headroom", Number(), "Free matching devices beyond the need"),
            Maybe("alternatives", ListOf(Ref("ChosenAlternative")),
                  "Which alternative each firstAvailable request would get"),
            Maybe("podSets", ListOf(Ref("CheckedPodSet")),
                  "Where the pods would go; empty as well where the reader's rights do not "
                  "cover it")})},
      {"CheckNote",
       Object("What a person should know of a verdict.", {{"object", Text(), "What it is about"},
                                                          {"message", Text(), "For people"},
                                                          {"remedy", Text(), "What to do"}})},
      {"ChosenAlternative",
       Object("An alternative of a request. What is absent the worker's claim does not tell.",
              {{"number", Number(), "From 1"},
               Maybe("podSet", Text(), "Whose request it is"),
               Maybe("claim", Text(), "The claim's name in the pod"),
               Maybe("request", Text(), "The request"),
               Maybe("name", Text(), "The alternative")})},
  };
}

std::vector<NamedSchema> CheckedPodSetSchemas() {
  return {
      {"CheckedPodSet",
       Object("Pods that are alike, on one worker.",
              {{"name", Text(), "The pod set"},
               {"podsWanted", Number(), "How many there are"},
               {"podsFitting", Number(), "How many fit"},
               {"nodes", ListOf(Text()), "Where these went"},
               {"nearestNode", Text(), "The node of several that came closest; empty: none did"},
               Maybe("obstacle", Ref("Obstacle"), "Against all requests together; absent: none"),
               Maybe("newNodes", Ref("NewNodes"),
                     "How many new nodes of a scalable pool would help; absent: none would"),
               {"requests", ListOf(Ref("CheckedRequest")), "Empty where all pods fit"}})},
      {"Obstacle", Object("What is against all requests of a pod together.",
                          {{"message", Text(), "For people"},
                           {"facts", Ref("Facts"), "The same for programs"}})},
      {"CheckedRequest",
       Object("One request of a claim, and the devices that there are for it.",
              {{"claim", Text(), "The claim, as the pod calls it"},
               {"request", Text(), "The request, with its alternative"},
               {"deviceClass", Text(), "Its DeviceClass"},
               Maybe("all", Flag(), "All devices of a node; absent: a count"),
               Maybe("count", Number(), "How many per pod; absent: all"),
               {"devices", Number(), "How many there are in total"},
               {"free", Number(), "How many could be taken"},
               {"mostOnOneNode", Number(), "The most of those that one node reaches"},
               {"holders", ListOf(Text()), "Jobs and claims that hold some"},
               {"counts", ListOf(Ref("CheckedCause")), "Why the others could not be taken"},
               {"text", Text(), "The same for people"}})},
      {"CheckedCause",
       Object("Devices that could not be taken, of which the same is to be said.",
              {{"rule", Text(), "Why, in a word: as in CountedCause"},
               {"devices", Number(), "How many"},
               Maybe("detail", Text(), "What exactly; absent: the word says it"),
               Maybe("holders", ListOf(Ref("Holder")), "The first of those that hold some"),
               {"allHolders", Number(), "How many hold some; 0: not known"},
               Maybe("needs", ListOf(Ref("CapacityNeed")), "What is lacking of a capacity"),
               {"what", Text(), "The same for people"}})},
  };
}

}  // namespace

std::vector<NamedSchema> CheckSchemas() {
  std::vector<NamedSchema> schemas = {
      {"CheckReport",
       Object("Where jobs could run that are not submitted yet.",
              DocumentFields("CheckReport") +
                  std::vector<Field>{
                      Maybe("asOf", Time(),
                            "When the workers were read, or the snapshot was taken; absent: none "
                            "could be asked. The API has it"),
                      Maybe("source", OneOf({"Clusters", "Snapshot"}), "Where it was read"),
                      Maybe("file", Text(), "Of a Snapshot: the file's name. The API has none"),
                      Maybe("replica", Ref("Replica"),
                            "Of the API: which of several daemons answers; absent: there are no "
                            "replicas"),
                      Maybe("lines", Ref("LinesAge"),
                            "How old what is said of other jobs in line is; absent: nothing is"),
                      Maybe("note", Text(), "What is to be said of all jobs together"),
                      Maybe("skipped", ListOf(Text()),
                            "Documents and kinds that were not looked at, and why; absent: none"),
                      {"findings", ListOf(Ref("Finding")), "Mistakes in the manifests"},
                      {"items", ListOf(Ref("CheckedJob")), "The jobs, in their order"}})},
      {"LinesAge", Object("The daemon's memory of jobs in line.",
                          {{"asOf", Time(), "When a daemon last wrote"},
                           {"current", Flag(), "Whether one keeps it so"}})},
      {"Finding",
       Object("A mistake in a manifest.",
              {{"severity", OneOf({"error", "warning", "nowhere"}),
                "error: an API server would refuse it, or its pods could never start; nowhere: no "
                "worker has it"},
               {"file", Text(), "The file's name, as it was sent; - where it has none"},
               {"document", Number(), "Of the file, from 1"},
               {"line", Number(), "Where it is, from 1; 0: not known"},
               {"column", Number(), "Likewise"},
               {"object", Text(), "What it is about, such as Job ml/train"},
               {"path", Text(), "The field; may be empty"},
               {"message", Text(), "For people"},
               {"hint", Text(), "What to write instead; may be empty"}})},
      {"CheckedJob",
       Object("A job, and where it could run.",
              {{"job", Ref("CheckedName"), "Which job"},
               {"result", OneOf({"Placeable", "Nowhere", "Unknown", "NotJudged"}),
                "NotJudged: it has mistakes"},
               Maybe("note", Text(), "What else is known of a job of this name; absent: nothing"),
               {"preferredWorkers", ListOf(Text()),
                "Those that can run it, as policy best would try them"},
               {"workers", ListOf(Ref("CheckedWorker")), "In the order of the configuration"}})},
      {"CheckedName", Object("A job's name.", {{"kind", Text(), "Its kind"},
                                               {"namespace", Text(), "Its namespace"},
                                               {"name", Text(),
                                                "Its name; of one that is to be generated, how it "
                                                "begins"}})},
  };
  for (auto more : {CheckedWorkerSchemas(), CheckedPodSetSchemas()})
    for (NamedSchema& schema : more) schemas.push_back(std::move(schema));
  return schemas;
}

}  // namespace fedra::report::schema
