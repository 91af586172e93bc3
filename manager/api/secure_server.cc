#include "manager/api/secure_server.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/sha256.h"
#include "base/text.h"
#include "manager/api/delivery.h"
#include "manager/api/parameters.h"
#include "manager/api/problem.h"
#include "manager/api/rights.h"
#include "manager/api/routes.h"
#include "manager/report/viewer_roles.h"

namespace fedra::api {
namespace {

constexpr std::string_view kAddressKey = "api.secure.address";
constexpr std::string_view kMetricsPath = "/metrics";
constexpr std::string_view kAuthorization = "authorization";
// A certificate that is made here ends after a year.
constexpr std::chrono::hours kMadeAnew{24 * 180};

std::string_view PathIn(const httpd::Request& request) {
  const std::string_view target = request.target;
  return target.substr(0, target.find('?'));
}

// For metrics: the endpoint, "metrics", or "page" of all pages.
std::string_view NameOf(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (path == kMetricsPath) return "metrics";
  return path == "/api" || path.starts_with("/api/") ? EndpointOf(target) : "page";
}

// Whether it is neither for the API nor for what else takes a right. "/api.js" is a page's script.
bool IsForPage(const httpd::Request& request) {
  const std::string_view path = PathIn(request);
  const bool is_for_api = path == "/api" || path.starts_with("/api/");
  return !request.is_post && !is_for_api && path != kMetricsPath;
}

httpd::Answer ToAnswer(const access::Refusal& refusal) {
  httpd::Answer answer = Problem(refusal.status, refusal.message);
  if (refusal.status == 401) answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (refusal.status == 429 || refusal.status == 503)
    answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

}  // namespace

CertificateSource SelfSigned(std::vector<std::string> names, const Clock& clock) {
  return {.stamp = [&clock] { return std::to_string(clock.Now().time_since_epoch() / kMadeAnew); },
          .read = [names = std::move(names),
                   &clock] { return httpd::MakeSelfSigned(names, clock.Now()); }};
}

SecureServer::SecureServer(SecureSettings settings, Sources sources,
                           std::unique_ptr<access::Reviews> reviews, access::GateLimits gate_limits,
                           httpd::ServerLimits limits)
    : settings_(std::move(settings)),
      sources_(sources),
      gate_(std::move(reviews), *sources.clock, gate_limits),
      streams_(sources.feed, sources.store, settings_.streams),
      api_(With(streams_, std::move(sources))),
      listener_(threads_.loop(), ServiceOfApi(), limits) {}

httpd::Service SecureServer::ServiceOfApi() {
  return {
      .answer =
          // In turn by address, and once the user is known by that: one with many addresses waits
          // behind those who ask less, and one behind an address with many users behind its own.
      [this](httpd::Request request, std::function<void(httpd::Answer)> done) {
        const std::string peer = request.peer;
        threads_.Submit(peer,
                        [this, request = std::move(request), done = std::move(done)]() mutable {
                          auto user = Admit(request);
                          if (!user) return done(std::move(user).error());
                          AnswerInTurn(*std::move(user), std::move(request), std::move(done));
                        });
      },
      .is_urgent = [](const httpd::Request&) { return false; },
      .refusal = [](int status, const std::string& message) { return Problem(status, message); },
      .takes_post = &IsForPost,
      // Without a token the manager is not asked who it is.
      .refuses_post = [this](const httpd::Request& headers) -> std::optional<httpd::Answer> {
        if (!httpd::HeaderOf(headers, kAuthorization).empty()) return std::nullopt;
        return ToAnswer(gate_.Identify({}, {}).error());
      },
      .on_answer =
          [this](std::string_view target, int status) {
            if (sources_.on_answer) sources_.on_answer(NameOf(target), status);
          }};
}

// What is posted is a check. Its rights are asked about, and its manifests read, on the thread that
// judges them: so those of one are in memory at a time.
void SecureServer::AnswerInTurn(access::User user, httpd::Request request,
                                std::function<void(httpd::Answer)> done) {
  const std::string whose = "user " + user.name;
  const bool is_check = request.is_post;
  auto answer = [this, user = std::move(user), request = std::move(request),
                 done = std::move(done)] { done(AnswerAdmitted(user, request)); };
  if (is_check) return threads_.SubmitCheck(whose, std::move(answer));
  threads_.Submit(whose, std::move(answer));
}

Result<std::unique_ptr<SecureServer>> SecureServer::Start(SecureSettings settings, Sources sources,
                                                          std::unique_ptr<access::Reviews> reviews,
                                                          access::GateLimits gate_limits,
                                                          httpd::ServerLimits limits) {
  std::unique_ptr<SecureServer> server(new SecureServer(std::move(settings), std::move(sources),
                                                        std::move(reviews), gate_limits, limits));
  server->TakeCertificate();
  const Result<void> listens = server->Listen();
  if (!listens && listens.error().code == ErrorCode::kInvalidArgument) return Fail(listens.error());
  server->Tell(listens);
  return server;
}

void SecureServer::Follow() {
  if (stopped_) return;
  TakeCertificate();
  Tell(Listen());
}

void SecureServer::TakeCertificate() {
  std::string stamp = settings_.certificate.stamp();
  if (stamp == stamp_) return;
  stamp_ = std::move(stamp);
  const Result<httpd::KeyPair> pair = settings_.certificate.read();
  const auto made = pair ? httpd::TlsIdentity::Make(*pair) : Fail(pair.error());
  const bool is_first = identity_.With([](const auto& identity) { return identity == nullptr; });
  if (!made) {
    log::Fault(is_first ? "the secure API is not served: it has no certificate"
                        : "the secure API keeps its certificate: the new one cannot be used",
               {{"error", made.error().message}});
    return;
  }
  identity_.With([&](std::shared_ptr<httpd::TlsIdentity>& identity) { identity = *made; });
  listener_.Use(*made);
  if (!is_first) log::Info("the secure API has another certificate");
}

Result<void> SecureServer::Listen() {
  if (port() != 0 || identity_.Copy() == nullptr) return {};
  FEDRA_RETURN_IF_ERROR(listener_.ListenOn(settings_.address, std::string(kAddressKey)));
  log::Info("the secure API is served", {{"port", std::to_string(port())}});
  return {};
}

// Who has the address may give it back: until then it is tried again, and said once.
void SecureServer::Tell(const Result<void>& listens) {
  const std::string problem = listens ? "" : listens.error().message;
  if (std::exchange(problem_, problem) != problem && !problem.empty())
    log::Fault("the secure API is not served", {{"error", problem}});
}

SecureServer::~SecureServer() {
  Stop();
  threads_.End(listener_);
}

void SecureServer::Stop() {
  listener_.Stop();
  stopped_ = true;
  streams_.Stop();
  if (sources_.check.stop) sources_.check.stop();
  // What is under way is waited for.
  std::scoped_lock lock(answering_, checking_, counting_);
}

bool SecureServer::IsOurs(const std::string& host) const {
  if (Contains(settings_.hosts, host)) return true;
  const auto identity = identity_.Copy();
  return identity != nullptr && identity->IsFor(host);
}

httpd::Answer SecureServer::Answer(const httpd::Request& request) {
  auto user = Admit(request);
  return user ? AnswerAdmitted(*user, request) : std::move(user).error();
}

tl::expected<access::User, httpd::Answer> SecureServer::Admit(const httpd::Request& request) {
  if (auto refusal = RefusalOfHost(request, [&](const std::string& host) { return IsOurs(host); }))
    return tl::unexpected<httpd::Answer>(*std::move(refusal));
  if (settings_.page && IsForPage(request))
    return tl::unexpected<httpd::Answer>(settings_.page(request));
  if (auto refusal = RefusalOfOtherSites(request))
    return tl::unexpected<httpd::Answer>(*std::move(refusal));
  auto user = gate_.Identify(httpd::HeaderOf(request, kAuthorization), request.peer);
  if (!user) return tl::unexpected<httpd::Answer>(ToAnswer(user.error()));
  return *std::move(user);
}

httpd::Answer SecureServer::AnswerAdmitted(const access::User& user,
                                           const httpd::Request& request) {
  httpd::Answer answer = AnswerTo(user, request);
  answer.user = user.name;
  log::Debug("secure API",
             {{"user", user.name},
              {"path", request.target.substr(0, std::min(request.target.find('?'), size_t{100}))},
              {"code", std::to_string(answer.status)}});
  return answer;
}

// As the metrics of Kubernetes' own components and of Kueue (controller-runtime 86a0d40,
// pkg/metrics/filters): `get` of the path itself.
httpd::Answer SecureServer::AnswerMetrics(const access::User& user, const httpd::Request& request) {
  const access::Attributes attributes{.verb = "get", .path = std::string(kMetricsPath)};
  const auto may = gate_.May(user, attributes);
  if (!may) return ToAnswer(may.error());
  if (!*may) return Problem(403, DenialText(attributes, report::kMetricsReaderRole));
  std::lock_guard lock(counting_);
  if (stopped_) return Problem(503, "the daemon ends");
  std::string text = settings_.metrics();
  const std::string news = text;
  return Deliver(
      request,
      {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = std::move(text)}, news);
}

// `purpose`: of all questions; null: of each its own.
tl::expected<Viewer, access::Refusal> SecureServer::ViewerOfWatch(
    const access::User& user, const Parameters& asked, std::optional<access::Purpose> purpose) {
  return ViewerOf(
      *FindRoute(kWatchPath), asked,
      [&](const access::Attributes& attributes, access::Purpose own) {
        return gate_.May(user, attributes, purpose.value_or(own));
      },
      [&]() -> Result<std::set<std::string>> {
        FEDRA_ASSIGN_OR_RETURN(const auto reader, sources_.store());
        return reader->Namespaces();
      });
}

httpd::Answer SecureServer::AnswerStream(const access::User& user, const Parameters& asked,
                                         const httpd::Request& request) {
  const auto viewer = ViewerOfWatch(user, asked, std::nullopt);
  if (!viewer) return ToAnswer(viewer.error());
  // The same token that asks the same.
  const std::string of = Sha256(httpd::HeaderOf(request, kAuthorization) + "\n" + request.target);
  LookAgain look_again = [this, user, asked, request](std::function<void(RightsNow)> done) {
    threads_.Submit("user " + user.name,
                    [=, this, done = std::move(done)] { done(LookAgainAt(user, asked, request)); });
  };
  return AnswerWatch(&streams_, asked, request, *viewer, ChangingRights{of, std::move(look_again)});
}

// A right that is revoked ends the stream, and so does a token that becomes another user's.
RightsNow SecureServer::LookAgainAt(const access::User& user, const Parameters& asked,
                                    const httpd::Request& request) {
  if (stopped_) return tl::make_unexpected(access::Refusal{503, "the daemon ends"});
  constexpr auto kPurpose = access::Purpose::kLookAgain;
  const auto now = gate_.Identify(httpd::HeaderOf(request, kAuthorization), request.peer, kPurpose);
  if (!now) return tl::make_unexpected(now.error());
  if (now->name != user.name)
    return tl::make_unexpected(access::Refusal{401, "the token is another user's now"});
  return ViewerOfWatch(*now, asked, kPurpose);
}

httpd::Answer SecureServer::AnswerTo(const access::User& user, const httpd::Request& request) {
  if (PathIn(request) == kMetricsPath && settings_.metrics) return AnswerMetrics(user, request);
  if (IsOpenApi(request.target)) return api_.AnswerTo({}, request);
  const Result<const Route*> route = RouteOf(request.target);
  if (!route) return ProblemOf(route.error());
  // Said by the API, before anything is read.
  if (IsPosted(**route) != request.is_post) return api_.AnswerTo({}, request);
  const Result<Parameters> asked = Parameters::Parse(**route, request.target);
  if (!asked) return ProblemOf(asked.error());
  if ((*route)->topic == Topic::kStream) return AnswerStream(user, *asked, request);
  std::optional<ReadCheck> posted;
  const auto viewer = ViewerOf(
      **route, *asked,
      [&](const access::Attributes& attributes, access::Purpose purpose) {
        return gate_.May(user, attributes, purpose);
      },
      [&]() -> Result<std::set<std::string>> {
        if (IsPosted(**route)) {
          FEDRA_ASSIGN_OR_RETURN(posted, api_.ReadPosted(*asked, request));
          return posted->namespaces;
        }
        FEDRA_ASSIGN_OR_RETURN(const auto reader, sources_.store());
        return reader->Namespaces();
      });
  if (!viewer) return ToAnswer(viewer.error());
  std::lock_guard lock(IsPosted(**route) ? checking_ : answering_);
  if (stopped_) return Problem(503, "the daemon ends");
  httpd::Answer answer = api_.AnswerTo(*viewer, request, posted ? &*posted : nullptr);
  if (!viewer->everywhere && (*route)->topic == Topic::kView && !IsOfOneJob((*route)->view))
    answer.headers.emplace_back(
        "Warning", "299 fedra \"only namespaces are shown whose workloads you may see\"");
  return answer;
}

}  // namespace fedra::api
