// The documents about one name's jobs, and what documents about jobs have in common.

#include "manager/placement/note_reasons.h"
#include "manager/report/document_schemas.h"
#include "verdict/reason_code.h"

namespace fedra::report::schema {
namespace {

std::vector<std::string_view> ReasonNames() {
  std::vector<std::string_view> names;
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue()) names.push_back(entry.name);
  return names;
}

Schema ReasonCodes() { return OneOf(ReasonNames()); }

// Where a worker has no reason its verdict stands for it.
Schema ReasonsAndVerdicts() {
  std::vector<std::string_view> names = ReasonNames();
  for (const std::string_view verdict : StateNames("Verdict")) names.push_back(verdict);
  return OneOf(names);
}

Schema EventReasons() {
  std::vector<std::string_view> names;
  for (const placement::notes::NoteReason& reason : placement::notes::kNoteReasons)
    names.push_back(reason.name);
  return OneOf(names);
}

// Of every job, wherever it is listed.
std::vector<Field> JobFields() {
  return {{"namespace", Text(), "The job's namespace"},
          {"name", Text(), "The job's name"},
          {"kind", Text(), "The job's kind, such as Job or JobSet"},
          {"uid", Text(), "metadata.uid of its Workload on the manager"},
          {"workload", Text(), "The Workload's name, in the job's namespace"},
          {"queue", Text(), "Its LocalQueue"},
          {"clusterQueue", Text(), "The ClusterQueue behind that; empty: not known"},
          {"priority", Number(), "As Kueue resolved it"},
          {"state", OneOf(StateNames("Job")), "What becomes of it; docs/states.md has the words"},
          {"worker", Text(), "Where it runs, or is dispatched to; empty: nowhere"},
          {"note", Text(), "Why it is in this state, for people; may be empty"},
          {"needs", Ref("Needs"), "What it asks for"},
          Maybe("waitsFor", OneOf({"Quota", "Kueue", "AdmissionCheck", "Job"}),
                "What a job in state Waiting waits for; absent: it does not, or it is not known"),
          {"createdAt", Time(), "When the job was created"},
          {"stateSince", Time(), "When the state began"},
          Maybe("finishedAt", Time(), "When it ended; absent: it has not"),
          Maybe("removedAt", Time(), "When it was removed on the manager; absent: it was not")};
}

Field LineField() {
  return Maybe("line", Ref("Line"), "Its places in line; absent: it is in none");
}

Field AttemptsField() { return {"attempts", ListOf(Ref("Attempt")), "The oldest first"}; }

// Of a verdict that the store keeps.
std::vector<Field> VerdictFields() {
  return {{"name", Text(), "The worker"},
          {"verdict", OneOf(StateNames("Verdict")), "Whether it can run the job"},
          {"reasons", ListOf(Ref("Reason")), "Why not, or what is to be said beside a Yes"},
          Maybe("podsFitting", Number(), "How many of the job's pods fit there now"),
          Maybe("podsWanted", Number(), "How many there are; absent: devices were not judged"),
          Maybe("alternatives", ListOf(Number()),
                "Which alternative each firstAvailable request would get, from 1"),
          Maybe("headroom", Number(), "Free matching devices beyond the need"),
          {"changedAt", Time(), "Since when the verdict has been this"}};
}

std::vector<NamedSchema> VerdictSchemas() {
  return {
      {"Verdict", Object("Whether a worker can run a job.", VerdictFields())},
      {"JudgedWorker",
       Object("Whether a worker can run a job, and whether waiting helps.",
              VerdictFields() + std::vector<Field>{Maybe(
                                    "prospect", OneOf({"Waits", "Never", "Unclear"}),
                                    "Of a No: whether it ends by itself, never, or that is not "
                                    "known; absent beside other verdicts")})},
      {"Reason",
       Object("Why a worker cannot, or may not, run a job.",
              {{"code", ReasonCodes(), "docs/reasons.md has them all"},
               {"object", Text(), "What it is about, such as DeviceClass gpu; may be empty"},
               {"message", Text(), "For people; may be worded differently in every version"},
               {"facts", Ref("Facts"), "What the message says, for programs"},
               Maybe("newNodes", Ref("NewNodes"),
                     "How many new nodes of a scalable pool would help; absent: none would")})},
      {"ReasonCount", Object("A reason, and how many workers have it.",
                             {{"code", ReasonsAndVerdicts(),
                               "The first reason of each; where there is none, the verdict"},
                              {"workers", Number(), "How many"}})},
      {"Remedy", Object("What can be done about a reason.",
                        {{"code", ReasonCodes(), "The reason"},
                         {"workers", Number(), "How many workers have it"},
                         {"remedy", Text(), "For people"}})},
  };
}

std::vector<NamedSchema> LineSchemas() {
  return {
      {"Line",
       Object("Where a job stands in line for devices.",
              {{"order", OneOf({"Strict", "Backfill", "BestEffort", ""}),
                "That it is served by; empty: not known"},
               {"places", ListOf(Ref("Place")), "One of each worker, the first place first"},
               {"passes", Number(), "How often others took devices that it could have used"},
               {"boundReached", Flag(), "Whether no other job passes it any more"},
               Maybe("keptWorker", Text(), "Where what becomes free is kept for it")})},
      {"Place", Object("A place in line for the devices of one worker.",
                       {{"worker", Text(), "Its name"},
                        {"place", Number(), "From 1"},
                        Maybe("first", Ref("FirstJob"),
                              "The job that goes first; absent: this one, or it is not known")})},
      {"FirstJob", Object("A job that goes first.", {{"namespace", Text(), "Its namespace"},
                                                     {"name", Text(), "Its name"},
                                                     {"priority", Number(), "Its priority"}})},
  };
}

std::vector<NamedSchema> PartSchemas() {
  return {
      {"Needs", Object("What a job asks for.",
                       {{"queue", Text(), "Its LocalQueue; empty: what it needs is not known"},
                        {"templates", ListOf(Text()), "Names of ResourceClaimTemplates"},
                        {"claims", ListOf(Text()), "Names of ResourceClaims"},
                        {"pods", Number(), "How many it has"},
                        {"text", Text(), "All of that in a line for people"}})},
      {"Attempt",
       Object("A job's time on one worker.",
              {{"number", Number(), "From 1; a race on several workers is one attempt"},
               {"worker", Text(), "Its name"},
               {"startedAt", Time(), "When the job was dispatched there"},
               Maybe("endedAt", Time(), "Absent: it goes on"),
               {"outcome", Text(),
                "How it ended: a word of docs/states.md, or a code of docs/reasons.md; empty: it "
                "goes on"},
               {"message", Text(), "For people; may be empty"}})},
      {"Event", Object("Something that happened to a job.",
                       {{"time", Time(), "When"},
                        {"reason", EventReasons(), "docs/events.md has them all"},
                        {"worker", Text(), "Where; empty: on none in particular"},
                        {"message", Text(), "For people"}})},
      {"NextStep",
       Object("What a job waits for, and what a person can do.",
              {{"text", Text(), "For people; empty: nothing is to be said"},
               {"commands", ListOf(Text()), "That show more"},
               {"remedies", ListOf(Ref("Remedy")), "Of the reasons against the workers"}})},
  };
}

}  // namespace

std::vector<NamedSchema> JobSchemas() {
  const auto document = [](std::string_view kind, std::string_view meaning, std::string_view job) {
    return Object(meaning, StoreDocumentFields(kind) +
                               std::vector<Field>{{"jobs", ListOf(Ref(job)),
                                                   "Of this name, and of several kinds or times "
                                                   "where there are several"}});
  };
  std::vector<NamedSchema> schemas = {
      {"OneJobReport",
       document("JobReport", "Where one job is and where it has been.", "PlacedJob")},
      {"WhyReport",
       document("WhyReport", "For each worker why it can or cannot run a job.", "JudgedJob")},
      {"HistoryReport", document("HistoryReport", "What happened to a job.", "PastJob")},
      {"ListedJob",
       Object("A job in a list.",
              JobFields() +
                  std::vector<Field>{
                      LineField(),
                      Maybe("reasons", ListOf(Ref("ReasonCount")),
                            "Of a blocked job: the first reason of each worker, the "
                            "most frequent first; absent: it is not blocked, or they "
                            "are not known"),
                      Maybe("waitsForWorkers", ListOf(Text()),
                            "Of a blocked job: the workers whose devices are only in use, so that "
                            "it can run there when they are free; absent: there is none")})},
      {"PlacedJob", Object("A job with its workers.",
                           JobFields() + std::vector<Field>{{"workers", ListOf(Ref("Verdict")),
                                                             "What is known of each worker"},
                                                            AttemptsField()})},
      {"JudgedJob",
       Object("A job, and why each worker can or cannot run it.",
              JobFields() + std::vector<Field>{LineField(),
                                               {"workers", ListOf(Ref("JudgedWorker")),
                                                "What is known of each worker"},
                                               {"next", Ref("NextStep"), "What comes next"}})},
      {"PastJob",
       Object("A job and its history.",
              JobFields() + std::vector<Field>{{"events", ListOf(Ref("Event")), "The oldest first"},
                                               AttemptsField()})},
  };
  for (auto more : {VerdictSchemas(), LineSchemas(), PartSchemas()})
    for (NamedSchema& schema : more) schemas.push_back(std::move(schema));
  return schemas;
}

}  // namespace fedra::report::schema
